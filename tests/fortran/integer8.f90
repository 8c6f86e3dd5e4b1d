! SPDX-License-Identifier: BSD-3-Clause
! Module papi in a code whose default integers have 8 bytes: variables of 8 bytes, constants of the module, literals.
program integer8
  use, intrinsic :: iso_c_binding, only: c_int
  use papi
  implicit none
  integer, parameter :: full = int(z'123456789ABCDEF0', kind(0))
  integer :: es, check, code, codes(3), n, state, flags, values(3), table(2, 2)
  integer(c_int) :: short, short_es, short_codes(3)
  real(4) :: rtime, ptime, rate
  character(len=PAPI_MAX_STR_LEN) :: name
  character(len=PAPI_HUGE_STR_LEN) :: symbol, long, brief, note

  if (bit_size(n) /= 64) error stop 'integers of 8 bytes'
  ! ---- classic calls
  n = full
  call PAPIF_num_counters(n)
  if (n < 0 .or. n > 1000) error stop 'PAPIF_num_counters'
  check = full
  call PAPIF_flops(rtime, ptime, values(1), rate, check)
  if (check > 0 .or. check < -100) error stop 'PAPIF_flops'
  if (check == PAPI_OK) call PAPIF_stop_counters(values, 1, check)
  codes(:2) = [PAPI_TOT_INS, PAPI_TOT_CYC]
  call PAPIF_start_counters(codes, 2, check)
  if (check > 0 .or. check < -100) error stop 'PAPIF_start_counters'
  if (check == PAPI_OK) then
    call PAPIF_stop_counters(values, 2, check)
    if (check /= PAPI_OK .or. values(1) <= 0) error stop 'PAPIF_stop_counters'
  end if

  ! ---- the library, texts, codes
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  if (check /= PAPI_VER_CURRENT) error stop 'PAPIF_library_init'
  call PAPIF_event_name_to_code('PAPI_TOT_CYC', code, check)
  if (check /= PAPI_OK .or. code /= PAPI_TOT_CYC) error stop 'PAPIF_event_name_to_code'
  call PAPIF_event_code_to_name(code, name, check)
  if (check /= PAPI_OK .or. name /= 'PAPI_TOT_CYC') error stop 'the name of a variable code'
  name = ' '
  call PAPIF_event_code_to_name(PAPI_TOT_INS, name, check)
  if (check /= PAPI_OK .or. name /= 'PAPI_TOT_INS') error stop 'the name of a constant code'
  code = full
  call PAPIF_event_name_to_code('PAPI_NO_SUCH', code, check)
  if (check >= 0 .or. code /= full) error stop 'a call that fails leaves the code'
  call PAPIF_strerror(check, symbol, state)
  if (state /= PAPI_OK .or. symbol == ' ') error stop 'PAPIF_strerror of a variable'
  call PAPIF_perror(PAPI_EINVAL, symbol, check)
  if (check /= PAPI_OK .or. index(symbol, 'argument') == 0) error stop 'PAPIF_perror'
  n = full
  flags = full
  call PAPIF_get_event_info(PAPI_TOT_INS, symbol, long, brief, n, note, flags, check)
  if (check == PAPI_OK .and. (n < 0 .or. n > 10)) error stop 'PAPIF_get_event_info'
  if (check /= PAPI_OK .and. n /= full) error stop 'PAPIF_get_event_info that failed'
  code = ior(PAPI_PRESET_MASK, 0_c_int)
  call PAPIF_enum_event(code, PAPI_ENUM_FIRST, check)
  if (check /= PAPI_OK .or. code >= 0 .or. code < -2147483648_8) error stop 'PAPIF_enum_event, a constant'
  call PAPIF_enum_event(code, 0, check)
  if (check /= PAPI_OK .or. code <= PAPI_PRESET_MASK) error stop 'PAPIF_enum_event, a literal'
  call PAPIF_set_domain(PAPI_DOM_USER, check)
  if (check /= PAPI_OK) error stop 'PAPIF_set_domain'
  call PAPIF_get_domain(PAPI_NULL + 0_8, n, PAPI_DEFDOM, check)
  if (check /= PAPI_OK .or. n /= PAPI_DOM_USER) error stop 'PAPIF_get_domain'
  call PAPIF_lock(PAPI_USR1_LOCK + 0_8)
  call PAPIF_unlock(PAPI_USR1_LOCK)

  ! ---- event sets
  es = PAPI_NULL
  check = full
  call PAPIF_create_eventset(es, check)
  if (check /= PAPI_OK .or. es < 0 .or. es > 10000) error stop 'PAPIF_create_eventset'
  n = es
  call PAPIF_create_eventset(n, check)
  if (check >= 0 .or. n /= es) error stop 'a handle of 8 bytes is left'
  call PAPIF_event_name_to_code('perf::PAGE-FAULTS', codes(1), check)
  call PAPIF_event_name_to_code('perf::TASK-CLOCK', codes(2), check)
  call PAPIF_query_event(codes(2), check)
  if (check /= PAPI_OK) then
    print '(a)', 'SKIP: the kernel counts no software events for this user'
    stop 77
  end if
  call PAPIF_add_events(es, codes, 2, check)
  if (check /= PAPI_OK) error stop 'PAPIF_add_events'
  code = codes(2)
  codes(2:) = full
  n = 3
  call PAPIF_list_events(es, codes, n, check)
  if (check /= PAPI_OK .or. n /= 2) error stop 'PAPIF_list_events'
  if (codes(2) /= code .or. codes(3) /= full) error stop 'the codes of PAPIF_list_events'
  call PAPIF_overflow(es, code, 5000000000, 0, on_overflow, check) ! more than an int: as large as one can be
  if (check /= PAPI_OK) error stop 'PAPIF_overflow, literals'
  call PAPIF_overflow(es, code, 0, PAPI_OVERFLOW_FORCE_SW, on_overflow, check)
  if (check /= PAPI_OK) error stop 'PAPIF_overflow, a constant'
  call PAPIF_start(es, check)
  if (check /= PAPI_OK) error stop 'PAPIF_start'
  call PAPIF_state(es, state, check)
  if (check /= PAPI_OK .or. iand(state, int(PAPI_RUNNING, kind(state))) == 0) error stop 'PAPIF_state'
  table = 0
  call PAPIF_read(es, table, check)
  if (check /= PAPI_OK .or. table(2, 1) <= 0 .or. any(table(:, 2) /= 0)) error stop 'PAPIF_read into a table'
  call PAPIF_read(es, table(1, 2), check)
  if (check /= PAPI_OK .or. table(2, 2) <= 0) error stop 'PAPIF_read from an element on'
  values = [0, 0, full]
  call PAPIF_accum(es, values, check)
  if (check /= PAPI_OK .or. values(2) <= 0 .or. values(3) /= full) error stop 'PAPIF_accum'
  call PAPIF_stop(es, values, check)
  if (check /= PAPI_OK .or. values(2) <= 0 .or. values(3) /= full) error stop 'PAPIF_stop'
  call PAPIF_cleanup_eventset(es, check)
  call PAPIF_destroy_eventset(es, check)
  if (check /= PAPI_OK .or. es /= PAPI_NULL) error stop 'PAPIF_destroy_eventset'

  ! ---- the same names with integers of 4 bytes, and literals of 8
  short_es = PAPI_NULL
  call PAPIF_create_eventset(short_es, short)
  if (short /= PAPI_OK .or. short_es < 0) error stop 'a handle of 4 bytes'
  short_codes = int(codes(1), c_int)
  call PAPIF_add_event(short_es, codes(1), short)
  if (short /= PAPI_OK) error stop 'a code of 8 bytes among integers of 4'
  call PAPIF_remove_events(short_es, short_codes(2), 1_c_int, short)
  if (short /= PAPI_OK) error stop 'an element of an array of 4 bytes'

contains

  subroutine on_overflow(es, address, overflow_vector, context) bind(C)
    use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_long_long, c_ptr
    integer(c_int), value :: es
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector

    if (es < 0 .or. overflow_vector == 0 .or. .not. c_associated(address) .or. .not. c_associated(context)) error stop
  end subroutine on_overflow

end program integer8
