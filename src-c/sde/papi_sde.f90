! SPDX-License-Identifier: BSD-3-Clause
!
! Software-defined events in Fortran: interfaces to the functions of libsde (sde_lib.h says what each does). Strings end
! with c_null_char; a counter is the c_loc of a variable that has the attributes target and save. The results are SDE_OK or a code.
! There is no code in this module: link with -lsde.
module papi_sde
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_funptr, c_int, c_int32_t, c_long_long, c_ptr, c_size_t
    implicit none
    private :: c_char, c_double, c_float, c_funptr, c_int, c_int32_t, c_long_long, c_ptr, c_size_t

    integer(c_int), parameter :: PAPI_SDE_RO = 0, PAPI_SDE_RW = 1, PAPI_SDE_DELTA = 0, PAPI_SDE_INSTANT = 16
    integer(c_int), parameter :: PAPI_SDE_long_long = 0, PAPI_SDE_int = 1, PAPI_SDE_double = 2, PAPI_SDE_float = 3
    integer(c_int32_t), parameter :: PAPI_SDE_SUM = 0, PAPI_SDE_MAX = 1, PAPI_SDE_MIN = 2
    integer(c_int), parameter :: SDE_OK = 0, SDE_EINVAL = -1, SDE_ENOMEM = -2, SDE_ECMP = -4, SDE_ENOEVNT = -7

    interface
        function papi_sde_init(name_of_library) bind(C) result(handle)
            import :: c_char, c_ptr
            character(kind=c_char), intent(in) :: name_of_library(*)
            type(c_ptr) :: handle
        end function

        function papi_sde_shutdown(handle) bind(C) result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: handle
            integer(c_int) :: code
        end function

        function papi_sde_enable(handle) bind(C) result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: handle
            integer(c_int) :: code
        end function

        function papi_sde_disable(handle) bind(C) result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: handle
            integer(c_int) :: code
        end function

        function papi_sde_register_counter(handle, event_name, cntr_mode, cntr_type, counter) bind(C) result(code)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: handle, counter
            character(kind=c_char), intent(in) :: event_name(*)
            integer(c_int), value :: cntr_mode, cntr_type
            integer(c_int) :: code
        end function

        function papi_sde_register_counter_cb(handle, event_name, cntr_mode, cntr_type, callback, param) bind(C) result(code)
            import :: c_char, c_funptr, c_int, c_ptr
            type(c_ptr), value :: handle, param
            character(kind=c_char), intent(in) :: event_name(*)
            integer(c_int), value :: cntr_mode, cntr_type
            type(c_funptr), value :: callback ! a bind(C) function of a type(c_ptr), value, with an integer(c_long_long)
            integer(c_int) :: code
        end function

        function papi_sde_unregister_counter(handle, event_name) bind(C) result(code)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: event_name(*)
            integer(c_int) :: code
        end function

        function papi_sde_describe_counter(handle, event_name, event_description) bind(C) result(code)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: event_name(*), event_description(*)
            integer(c_int) :: code
        end function

        function papi_sde_create_counter(handle, event_name, cntr_mode, cntr_handle) bind(C) result(code)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: event_name(*)
            integer(c_int), value :: cntr_mode
            type(c_ptr), intent(out) :: cntr_handle
            integer(c_int) :: code
        end function

        function papi_sde_inc_counter(cntr_handle, increment) bind(C) result(code)
            import :: c_int, c_long_long, c_ptr
            type(c_ptr), value :: cntr_handle
            integer(c_long_long), value :: increment
            integer(c_int) :: code
        end function

        function papi_sde_reset_counter(cntr_handle) bind(C) result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: cntr_handle
            integer(c_int) :: code
        end function

        function papi_sde_get_counter_handle(handle, event_name) bind(C) result(cntr_handle)
            import :: c_char, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: event_name(*)
            type(c_ptr) :: cntr_handle
        end function

        function papi_sde_add_counter_to_group(handle, event_name, group_name, group_flags) bind(C) result(code)
            import :: c_char, c_int, c_int32_t, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: event_name(*), group_name(*)
            integer(c_int32_t), value :: group_flags
            integer(c_int) :: code
        end function

        function papi_sde_create_recorder(handle, event_name, typesize, cmpr_func_ptr, record_handle) bind(C) result(code)
            import :: c_char, c_funptr, c_int, c_ptr, c_size_t
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: event_name(*)
            integer(c_size_t), value :: typesize
            type(c_funptr), value :: cmpr_func_ptr ! c_funloc(papi_sde_compare_double), ..., or c_null_funptr
            type(c_ptr), intent(out) :: record_handle
            integer(c_int) :: code
        end function

        function papi_sde_record(record_handle, typesize, value) bind(C) result(code)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: record_handle, value
            integer(c_size_t), value :: typesize
            integer(c_int) :: code
        end function

        function papi_sde_reset_recorder(record_handle) bind(C) result(code)
            import :: c_int, c_ptr
            type(c_ptr), value :: record_handle
            integer(c_int) :: code
        end function

        function papi_sde_create_counting_set(handle, cset_name, cset_handle) bind(C) result(code)
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: cset_name(*)
            type(c_ptr), intent(out) :: cset_handle
            integer(c_int) :: code
        end function

        function papi_sde_counting_set_insert(cset_handle, element_size, hashable_size, element, type_id) bind(C) &
            result(code)
            import :: c_int, c_int32_t, c_ptr, c_size_t
            type(c_ptr), value :: cset_handle, element
            integer(c_size_t), value :: element_size, hashable_size
            integer(c_int32_t), value :: type_id
            integer(c_int) :: code
        end function

        function papi_sde_counting_set_remove(cset_handle, hashable_size, element, type_id) bind(C) result(code)
            import :: c_int, c_int32_t, c_ptr, c_size_t
            type(c_ptr), value :: cset_handle, element
            integer(c_size_t), value :: hashable_size
            integer(c_int32_t), value :: type_id
            integer(c_int) :: code
        end function

        function papi_sde_compare_long_long(p1, p2) bind(C) result(order)
            import :: c_int, c_ptr
            type(c_ptr), value :: p1, p2
            integer(c_int) :: order
        end function

        function papi_sde_compare_int(p1, p2) bind(C) result(order)
            import :: c_int, c_ptr
            type(c_ptr), value :: p1, p2
            integer(c_int) :: order
        end function

        function papi_sde_compare_double(p1, p2) bind(C) result(order)
            import :: c_int, c_ptr
            type(c_ptr), value :: p1, p2
            integer(c_int) :: order
        end function

        function papi_sde_compare_float(p1, p2) bind(C) result(order)
            import :: c_int, c_ptr
            type(c_ptr), value :: p1, p2
            integer(c_int) :: order
        end function
    end interface
end module
