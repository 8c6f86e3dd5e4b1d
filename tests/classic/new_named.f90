! SPDX-License-Identifier: BSD-3-Clause
! PAPI 5 to 7, Fortran, f90papi.h: components, events by name, times with the counts.
program new_named
  implicit none
  include 'f90papi.h'
  integer :: check, es, code, cidx, num, n
  integer(8) :: values(2), more(2), before, after, ns, cpu
  integer, external :: near
  external :: needev, do100

  call needev()
  call PAPIF_query_named_event('PAPI_FP_OPS', check)
  if (check /= PAPI_OK) stop 1
  es = PAPI_NULL
  call PAPIF_create_eventset(es, check)
  if (check /= PAPI_OK) stop 2
  call PAPIF_get_component_index('perf_event', cidx)
  if (cidx < 0) stop 3
  call PAPIF_num_cmp_hwctrs(cidx, num)
  if (num < 0) stop 4
  call PAPIF_set_cmp_domain(PAPI_DOM_USER, cidx, check)
  if (check /= PAPI_OK) stop 5
  call PAPIF_set_cmp_granularity(PAPI_GRN_THR, cidx, check)
  if (check /= PAPI_OK) stop 6
  call PAPIF_get_event_component(PAPI_FP_OPS, cidx)
  call PAPIF_assign_eventset_component(es, cidx, check)
  if (check /= PAPI_OK) stop 7
  call PAPIF_get_eventset_component(es, n)
  if (n /= cidx) stop 8
  call PAPIF_add_named_event(es, 'PAPI_FP_OPS', check)
  if (check /= PAPI_OK) stop 9
  call PAPIF_add_named_event(es, 'PAPI_TOT_INS', check)
  if (check /= PAPI_OK) stop 10
  call PAPIF_get_real_nsec(ns)
  call PAPIF_get_virt_nsec(cpu)
  call PAPIF_start(es, check)
  call PAPIF_read_ts(es, values, before, check)
  if (check /= PAPI_OK) stop 11
  call do100()
  call PAPIF_read_ts(es, more, after, check)
  if (check /= PAPI_OK .or. after <= before) stop 12
  if (near(more(1) - values(1), 100) == 0) stop 13
  call PAPIF_stop(es, values, check)
  if (check /= PAPI_OK .or. values(2) < 100) stop 14
  call PAPIF_get_real_nsec(after)
  call PAPIF_get_virt_nsec(before)
  if (after <= ns .or. before <= cpu) stop 15
  call PAPIF_remove_named_event(es, 'PAPI_TOT_INS', check)
  if (check /= PAPI_OK) stop 16
  call PAPIF_num_events(es, n)
  if (n /= 1) stop 17
  call PAPIF_cleanup_eventset(es, check)
  call PAPIF_destroy_eventset(es, check)
  if (check /= PAPI_OK) stop 18

  code = PAPI_NATIVE_MASK
  call PAPIF_enum_cmp_event(code, PAPI_ENUM_FIRST, cidx, check)
  n = 0
  do while (check == PAPI_OK .and. n < 20)
    n = n + 1
    call PAPIF_enum_cmp_event(code, PAPI_ENUM_EVENTS, cidx, check)
  end do
  if (n == 0) stop 19
  call PAPIF_num_components(n)
  if (n < 1) stop 20
  call PAPIF_perror('the form of later versions')
  call PAPIF_shutdown()
end program new_named
