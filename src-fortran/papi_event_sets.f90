! SPDX-License-Identifier: BSD-3-Clause
! type(papi_event_set): an event set that frees itself.
!
!   type(papi_event_set) :: set
!   integer(int64) :: counts(2)
!   call set%add(['PAPI_TOT_INS', 'PAPI_TOT_CYC'])
!   call set%start()
!   call work()
!   call set%stop(counts)
!
! The first event makes the set, and initialises the library where nobody has. Errors: see papi_errors.
!
! The variable whose %add made the set owns it. When it ceases to exist (its procedure or BLOCK ends, it
! is deallocated), the set is stopped and destroyed, and errors of that are passed over. The main
! program's variables exist to the end.
!
! A copy of a variable (assignment, SOURCE=, a constructor) is another name for the same set: it can
! do everything but change the events, and destroys nothing. Once the owner is gone its calls fail with
! PAPI_ENOEVST. %move_to makes another variable the owner. So a function should not return an event
! set, and a variable that owns one should get %destroy before something is assigned to it: what the
! language says on finalisation in those places, not every compiler does.
!
! As everywhere in PAPI, a set belongs to the thread that made it.
module papi_event_sets
  use, intrinsic :: iso_c_binding, only: c_bool, c_double, c_funloc, c_funptr, c_int, c_intptr_t, c_loc, c_long, &
    c_long_long, c_null_funptr
  use papi_bindings, only: PAPI_accum, PAPI_add_event, PAPI_attach_c, PAPI_attach_process, PAPI_cleanup_eventset, &
    PAPI_create_eventset, PAPI_ECLOST, PAPI_read_shares, PAPI_read_threads, PAPIF_set_share, PAPIF_set_wait, &
    PAPI_destroy_eventset, PAPI_detach_c, PAPI_EBUF, PAPI_EINVAL, PAPI_ENOEVST, PAPI_get_multiplex, PAPI_get_real_nsec, &
    PAPI_list_events, &
    PAPI_MAX_STR_LEN, PAPI_NULL, PAPI_num_events, PAPI_OK, PAPI_overflow, papi_overflow_handler, PAPI_read, PAPI_remove_event, &
    PAPI_reset, PAPI_RUNNING, PAPI_set_multiplex, PAPI_start, PAPI_state, PAPI_stop, PAPI_STOPPED, PAPI_write, &
    PAPIF_attach_cgroup, PAPIF_event_code_to_name, PAPIF_event_name_to_code, PAPIF_metric
  use papi_errors, only: library_ready, papi_error_text, settle
  use papi_lost_ends, only: note, noted
  implicit none
  private

  ! For a number of events that others may change: PAPI_num_events knows it. No array is so long, so that
  ! what compares lengths needs no case of its own.
  integer(c_long_long), parameter :: ask = huge(ask)

  ! What copies counts.
  integer, parameter :: stopping = 1, reading = 2, adding = 3
  character(len=*), parameter :: actions(3) = &
    ['papi_event_set%stop ', 'papi_event_set%read ', 'papi_event_set%accum']

  type, public :: papi_event_set
    private
    integer(c_int) :: es = PAPI_NULL
    logical(c_bool) :: finalised = .false. ! in use all the same where the compiler lost its end: see papi_lost_ends
    integer(c_long_long) :: n = 0 ! events, or ask
    integer(c_long_long) :: marked = 0 ! the real time in nanoseconds
    ! Where the variable is that made the set: a copy is elsewhere, and knows so that it is one.
    integer(c_intptr_t) :: home = 0
  contains
    ! %add(event): a preset or native event by its code or its name, or an array of either. If one
    ! cannot be added none is: the set is as before. Errors: as PAPI_add_event; PAPI_EINVAL: this
    ! variable is a copy.
    generic :: add => add_code, add_codes, add_name, add_names
    procedure, private :: add_code, add_codes, add_name, add_names
    ! %remove(event): the same outwards. It ends at the first event that fails; those before it are out.
    generic :: remove => remove_code, remove_codes, remove_name, remove_names
    procedure, private :: remove_code, remove_codes, remove_name, remove_names
    ! %clear(): takes all events out.
    procedure :: clear
    ! %start(): zeroes the counts and starts. PAPI_ENOEVST: no event was added yet.
    procedure :: start => start_set
    ! %stop([values]): stops, and copies the counts. values(:) is integer(int64), one element an event in
    ! the order of adding, or more, of which the rest keeps its values. Too few: PAPI_EBUF, and
    ! nothing is done. Here and below it can be a scalar instead, which is one element.
    generic :: stop => stop_set, stop_message, stop_one, stop_only
    procedure, private :: stop_set, stop_message, stop_one, stop_only
    ! %read(values): copies the counts of a set, running or stopped.
    generic :: read => read_set, read_message, read_one
    procedure, private :: read_set, read_message, read_one
    ! %accum(values): adds the counts to values and zeroes them.
    generic :: accum => accum_set, accum_message, accum_one
    procedure, private :: accum_set, accum_message, accum_one
    ! %reset(): zeroes the counts.
    procedure :: reset => reset_set
    ! %write(values): sets the counts.
    generic :: write => write_set, write_one
    procedure, private :: write_set, write_one
    ! %metric(name, value [, seconds]): the metric of this name, such as 'ipc' or 'mflops', of the counts that %read
    ! would give; papi_event_chooser @ lists the names. value is real(real64) and keeps its value where there is
    ! none. One that needs the time has it since %mark where the set still runs; seconds, real(real64), is
    ! another one. As PAPI_metric.
    procedure :: metric => metric_of_set
    ! %mark(): zeroes the counts of a set that runs, or starts it, and notes the time, for %metric. A later %start,
    ! %reset or %accum zeroes the counts alone: %mark then is to be called again.
    procedure :: mark
    ! %overflow(event, threshold [, handler] [, flags]): has handler, a bind(C) procedure with the
    ! interface papi_overflow_handler, called every threshold counts of an event of the stopped set,
    ! by code or name. threshold 0, without handler, ends it. As PAPI_overflow.
    generic :: overflow => overflow_code, overflow_name
    procedure, private :: overflow_code, overflow_name
    ! %multiplex(): has the set take more events than there are counters, in turns. %multiplexed(): whether
    ! it does. As PAPI_set_multiplex and PAPI_get_multiplex.
    procedure :: multiplex
    procedure :: multiplexed
    ! %share([on]): has the set count beside whatever else holds counters, and its values be scaled, or not any
    ! more (on is .false.). %shares(values): for which part of the time each event was counted, in
    ! real(real64) from 0 to 1. As PAPI_set_opt with PAPI_SHARE and PAPI_read_shares.
    procedure :: share
    procedure :: shares
    ! %wait(seconds): has %start wait for the counters, where others have them, for so long at most. As
    ! PAPI_set_opt with PAPI_WAIT.
    procedure :: wait => wait_at_start
    ! %attach(tid): counts the thread that the kernel numbers so in place of the calling one; %detach(): the
    ! calling one again. As PAPI_attach and PAPI_detach.
    procedure :: attach
    procedure :: detach
    ! %attach_process(pid [, flags]): counts all threads of the process, with flags PAPI_PROCESS_TREE,
    ! PAPI_PROCESS_THREADS or their sum. As PAPI_attach_process.
    procedure :: attach_process

    ! %attach_cgroup(path): counts all tasks of the control group on every CPU. As PAPI_attach_cgroup.
    procedure :: attach_cgroup
    ! %read_threads(tids, values, n [, ended]): what each thread of the process has counted since the start, with
    ! PAPI_PROCESS_THREADS: its events in values(:, i) for thread tids(i); ended(i) is 1 where it has ended. n:
    ! the number of threads that there are, be it more than there is room for. As PAPI_read_threads.
    procedure :: read_threads
    ! %state(): PAPI_STOPPED or PAPI_RUNNING, with other bits; a set without events is stopped.
    procedure :: state => state_of_set
    ! %running(): whether it runs.
    procedure :: running => set_runs
    ! %count(): the number of events.
    procedure :: count => count_events
    ! %codes(): the event codes in the order of the counts; %name(i): the name of event i.
    procedure :: codes => event_codes
    procedure :: name => event_name
    ! %handle(): for the PAPIF_ and PAPI_ procedures; PAPI_NULL before the first event. They may do
    ! all but destroy the set.
    procedure :: handle
    ! %move_to(other): other, whose own set is destroyed, gets the set; this variable is empty then.
    procedure :: move_to
    ! %destroy(): stops and destroys the set; a copy only forgets it.
    procedure :: destroy
    ! What stop, read and accum do where they are not sure of the room at once. Bound, so that no compiler
    ! puts it into them: they would keep more over a call, a dozen instructions of each.
    procedure, private :: count_carefully
    final :: finish
  end type papi_event_set

contains

  ! --------------------------------------------------------------------------------------- ownership

  integer(c_intptr_t) function place(self)
    class(papi_event_set), intent(in), target :: self

    place = transfer(c_loc(self%es), place)
  end function place

  logical function owns(self)
    class(papi_event_set), intent(in) :: self

    owns = self%home == place(self)
  end function owns

  subroutine forget(self)
    class(papi_event_set), intent(inout) :: self

    self%es = PAPI_NULL
    self%n = 0
    self%home = 0
  end subroutine forget

  integer(c_int) function free(self) result(check)
    class(papi_event_set), intent(inout) :: self
    integer(c_int) :: ignored

    check = PAPI_OK
    if (self%es == PAPI_NULL .or. .not. owns(self)) return
    ignored = noted(place(self))
    check = free_handle(self%es)
  end function free

  integer(c_int) function free_handle(es) result(check)
    integer(c_int), intent(inout) :: es
    integer(c_int) :: status

    check = PAPI_state(es, status)
    if (check /= PAPI_OK) return
    if (iand(status, PAPI_RUNNING) /= 0) check = stop_quietly(es)
    check = PAPI_cleanup_eventset(es)
    if (check == PAPI_OK) check = PAPI_destroy_eventset(es)
  end function free_handle

  integer(c_int) function stop_quietly(es) result(check)
    integer(c_int), intent(in) :: es
    integer(c_long_long), allocatable :: unused(:)

    allocate (unused(max(1, PAPI_num_events(es))))
    check = PAPI_stop(es, unused)
  end function stop_quietly

  ! An event set that this variable owns from now on.
  subroutine become_owner(self)
    class(papi_event_set), intent(inout) :: self

    if (self%finalised) call note(place(self), self%es)
    self%home = place(self)
  end subroutine become_owner

  ! The set of a variable that was here and whose end was lost.
  subroutine free_lost(at)
    integer(c_intptr_t), intent(in) :: at
    integer(c_int) :: es, ignored

    es = noted(at)
    if (es /= PAPI_NULL) ignored = free_handle(es)
  end subroutine free_lost

  impure elemental subroutine finish(self)
    type(papi_event_set), intent(inout) :: self
    integer(c_int) :: ignored

    ignored = free(self)
    call free_lost(place(self))
    call forget(self)
    self%finalised = .true.
  end subroutine finish

  subroutine destroy(self, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = free(self)
    call forget(self)
    call settle(check, 'papi_event_set%destroy', stat, errmsg)
  end subroutine destroy

  subroutine move_to(self, other)
    class(papi_event_set), intent(inout) :: self
    type(papi_event_set), intent(inout) :: other
    integer(c_int) :: ignored

    if (place(self) == place(other)) return
    ignored = free(other)
    other%es = self%es
    other%n = self%n
    if (owns(self)) then
      ignored = noted(place(self))
      call become_owner(other)
    else
      other%home = 0
    end if
    call forget(self)
  end subroutine move_to

  integer(c_int) function handle(self)
    class(papi_event_set), intent(inout) :: self

    handle = self%es
    if (self%es /= PAPI_NULL) self%n = ask
  end function handle

  ! ------------------------------------------------------------------------------------------- events

  ! Before events change: makes the set if there is none. A copy is refused, since the owner could not
  ! know of the new number, on which the length of its arrays is checked.
  subroutine prepare(self, check, reason)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(out) :: check
    character(len=:), allocatable, intent(out) :: reason

    check = PAPI_OK
    reason = ''
    if (self%es == PAPI_NULL) then
      check = library_ready()
      if (check == PAPI_OK) check = PAPI_create_eventset(self%es)
      if (check == PAPI_OK) call become_owner(self)
      if (check /= PAPI_OK) reason = papi_error_text(check)
    else if (.not. owns(self)) then
      check = PAPI_EINVAL
      reason = 'the variable is a copy of an event set, which cannot change its events'
    end if
  end subroutine prepare

  subroutine recount(self)
    class(papi_event_set), intent(inout) :: self

    if (self%n /= ask) self%n = max(0_c_int, PAPI_num_events(self%es))
  end subroutine recount

  integer(c_int) function code_of(name, code) result(check)
    character(len=*), intent(in) :: name
    integer(c_int), intent(inout) :: code

    call PAPIF_event_name_to_code(name, code, check)
  end function code_of

  ! The code of the i-th of some events: given, or that of its name.
  integer(c_int) function find(i, codes, names, code) result(check)
    integer, intent(in) :: i
    integer(c_int), intent(in), optional :: codes(:)
    character(len=*), intent(in), optional :: names(:)
    integer(c_int), intent(inout) :: code

    check = PAPI_OK
    if (present(codes)) code = codes(i)
    if (present(names)) check = code_of(names(i), code)
  end function find

  ! What an error message calls it.
  function called(i, codes, names) result(text)
    integer, intent(in) :: i
    integer(c_int), intent(in), optional :: codes(:)
    character(len=*), intent(in), optional :: names(:)
    character(len=:), allocatable :: text
    character(len=PAPI_MAX_STR_LEN) :: found
    integer(c_int) :: check

    if (present(names)) then
      text = trim(names(i))
    else
      call PAPIF_event_code_to_name(codes(i), found, check)
      if (check /= PAPI_OK) write (found, '(a, i0)') 'event code ', codes(i)
      text = trim(found)
    end if
  end function called

  ! Adds or removes events that are given by their codes or by their names. If one fails the change ends
  ! there; undo, where there is one, takes back those before it.
  subroutine change_events(self, what, change, undo, codes, names, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    character(len=*), intent(in) :: what
    procedure(PAPI_add_event) :: change
    procedure(PAPI_remove_event), optional :: undo
    integer(c_int), intent(in), optional :: codes(:)
    character(len=*), intent(in), optional :: names(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: whole, reason
    integer(c_int), allocatable :: found(:)
    integer(c_int) :: check, ignored
    integer :: i, n

    n = 0
    whole = what
    call prepare(self, check, reason)
    if (check == PAPI_OK) then
      if (present(codes)) n = size(codes)
      if (present(names)) n = size(names)
      allocate (found(n))
      do i = 1, n
        check = find(i, codes, names, found(i))
        if (check == PAPI_OK) check = change(self%es, found(i))
        if (check /= PAPI_OK) exit
      end do
      if (check /= PAPI_OK) then
        reason = papi_error_text(check) ! before another call fails
        whole = what // ': ' // called(i, codes, names)
        if (present(undo)) then
          do i = i - 1, 1, -1
            ignored = undo(self%es, found(i))
          end do
        end if
      end if
      call recount(self)
    end if
    call settle(check, whole, stat, errmsg, reason)
  end subroutine change_events

  subroutine add_code(self, code, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%add', PAPI_add_event, PAPI_remove_event, codes=[code], &
      stat=stat, errmsg=errmsg)
  end subroutine add_code

  subroutine add_codes(self, codes, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(in) :: codes(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%add', PAPI_add_event, PAPI_remove_event, codes=codes, &
      stat=stat, errmsg=errmsg)
  end subroutine add_codes

  subroutine add_name(self, name, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%add', PAPI_add_event, PAPI_remove_event, names=[name], &
      stat=stat, errmsg=errmsg)
  end subroutine add_name

  subroutine add_names(self, names, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    character(len=*), intent(in) :: names(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%add', PAPI_add_event, PAPI_remove_event, names=names, &
      stat=stat, errmsg=errmsg)
  end subroutine add_names

  subroutine remove_code(self, code, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%remove', PAPI_remove_event, codes=[code], stat=stat, errmsg=errmsg)
  end subroutine remove_code

  subroutine remove_codes(self, codes, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(in) :: codes(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%remove', PAPI_remove_event, codes=codes, stat=stat, errmsg=errmsg)
  end subroutine remove_codes

  subroutine remove_name(self, name, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%remove', PAPI_remove_event, names=[name], stat=stat, errmsg=errmsg)
  end subroutine remove_name

  subroutine remove_names(self, names, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    character(len=*), intent(in) :: names(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call change_events(self, 'papi_event_set%remove', PAPI_remove_event, names=names, stat=stat, errmsg=errmsg)
  end subroutine remove_names

  subroutine clear(self, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: reason
    integer(c_int) :: check

    call prepare(self, check, reason)
    if (check == PAPI_OK) then
      check = PAPI_cleanup_eventset(self%es)
      if (check == PAPI_OK) then
        call recount(self)
      else
        reason = papi_error_text(check)
      end if
    end if
    call settle(check, 'papi_event_set%clear', stat, errmsg, reason)
  end subroutine clear

  ! ----------------------------------------------------------------------------------------- counting

  ! The end of a call that needs a set. An empty variable has none yet: not what an uninitialised library says,
  ! which the first event initialises.
  subroutine settle_set(self, check, what, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(in) :: check
    character(len=*), intent(in) :: what
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    if (check /= PAPI_OK .and. self%es == PAPI_NULL) then
      call settle(PAPI_ENOEVST, what, stat, errmsg, 'the event set has no events yet: %add adds one')
    else
      call settle(check, what, stat, errmsg)
    end if
  end subroutine settle_set

  subroutine start_set(self, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = PAPI_start(self%es)
    if (check == PAPI_OK) then
      if (present(stat)) stat = PAPI_OK
    else
      call settle_set(self, check, 'papi_event_set%start', stat, errmsg)
    end if
  end subroutine start_set

  ! How many counts the library will touch. Not the own number in a copy: the owner's may have changed.
  integer(c_int) function events_of(self) result(n)
    class(papi_event_set), intent(in) :: self

    n = max(0, PAPI_num_events(self%es))
  end function events_of

  ! Whether as many values are enough where nobody else can have changed the number of events.
  logical function surely_room(self, length)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(in) :: length

    surely_room = .false.
    if (owns(self)) surely_room = length >= self%n
  end function surely_room

  ! Whether they are, as the library knows; it is an error where they are not.
  logical function has_room(self, length, what, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(in) :: length
    character(len=*), intent(in) :: what
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=80) :: reason

    has_room = length >= events_of(self)
    if (has_room) return
    write (reason, '(a, i0, a, i0)') 'values has ', length, ' elements, the number of events is ', events_of(self)
    call settle(PAPI_EBUF, what, stat, errmsg, trim(reason))
  end function has_room

  ! The order of the arguments is the one in which those of the callers need not change registers.
  subroutine count_carefully(self, values, stat, errmsg, length, action)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), value :: length
    integer(c_long_long), intent(inout) :: values(length)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer, value :: action
    integer(c_int) :: check

    if (.not. has_room(self, length, actions(action), stat, errmsg)) return
    check = PAPI_OK
    select case (action)
    case (stopping)
      check = PAPI_stop(self%es, values)
    case (reading)
      check = PAPI_read(self%es, values)
    case (adding)
      check = PAPI_accum(self%es, values)
    end select
    call settle_set(self, check, actions(action), stat, errmsg)
  end subroutine count_carefully

  subroutine count_one(self, value, stat, errmsg, action)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout) :: value
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer, value :: action
    integer(c_long_long) :: values(1)

    values = value
    call self%count_carefully(values, stat, errmsg, 1_c_long_long, action)
    value = values(1)
  end subroutine count_one

  ! A call without errmsg, the most frequent one, has nothing to keep for an error: errmsg has a form of
  ! its own.
  subroutine stop_set(self, values, stat)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: check

    if (surely_room(self, size(values, kind=c_long_long))) then
      check = PAPI_stop(self%es, values)
      if (present(stat)) then
        stat = check
      else if (check /= PAPI_OK) then
        call settle(check, actions(stopping))
      end if
    else
      call self%count_carefully(values, stat, length=size(values, kind=c_long_long), action=stopping)
    end if
  end subroutine stop_set

  subroutine stop_message(self, values, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout) :: errmsg

    call self%count_carefully(values, stat, errmsg, size(values, kind=c_long_long), stopping)
  end subroutine stop_message

  subroutine stop_one(self, value, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout) :: value
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call count_one(self, value, stat, errmsg, stopping)
  end subroutine stop_one

  subroutine stop_only(self, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call settle_set(self, stop_quietly(self%es), actions(stopping), stat, errmsg)
  end subroutine stop_only

  subroutine read_set(self, values, stat)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: check

    if (surely_room(self, size(values, kind=c_long_long))) then
      check = PAPI_read(self%es, values)
      if (present(stat)) then
        stat = check
      else if (check /= PAPI_OK) then
        call settle(check, actions(reading))
      end if
    else
      call self%count_carefully(values, stat, length=size(values, kind=c_long_long), action=reading)
    end if
  end subroutine read_set

  subroutine read_message(self, values, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout) :: errmsg

    call self%count_carefully(values, stat, errmsg, size(values, kind=c_long_long), reading)
  end subroutine read_message

  subroutine read_one(self, value, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout) :: value
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call count_one(self, value, stat, errmsg, reading)
  end subroutine read_one

  subroutine accum_set(self, values, stat)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: check

    if (surely_room(self, size(values, kind=c_long_long))) then
      check = PAPI_accum(self%es, values)
      if (present(stat)) then
        stat = check
      else if (check /= PAPI_OK) then
        call settle(check, actions(adding))
      end if
    else
      call self%count_carefully(values, stat, length=size(values, kind=c_long_long), action=adding)
    end if
  end subroutine accum_set

  subroutine accum_message(self, values, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout) :: errmsg

    call self%count_carefully(values, stat, errmsg, size(values, kind=c_long_long), adding)
  end subroutine accum_message

  subroutine accum_one(self, value, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(inout) :: value
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call count_one(self, value, stat, errmsg, adding)
  end subroutine accum_one

  subroutine reset_set(self, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = PAPI_reset(self%es)
    if (check == PAPI_OK) then
      if (present(stat)) stat = PAPI_OK
    else
      call settle_set(self, check, 'papi_event_set%reset', stat, errmsg)
    end if
  end subroutine reset_set

  subroutine write_set(self, values, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(in), contiguous :: values(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    if (has_room(self, size(values, kind=c_long_long), 'papi_event_set%write', stat, errmsg)) &
      call settle_set(self, PAPI_write(self%es, values), 'papi_event_set%write', stat, errmsg)
  end subroutine write_set

  subroutine write_one(self, value, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call write_set(self, [value], stat, errmsg)
  end subroutine write_one

  ! ------------------------------------------------------------------------------------------ metrics

  subroutine mark(self, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    ! Before the counts begin: a rate has its counts inside its time.
    self%marked = PAPI_get_real_nsec()
    if (set_runs(self, check)) then
      call reset_set(self, check, errmsg)
    else
      call start_set(self, check, errmsg)
    end if
    if (present(stat)) then
      stat = check
    else
      call settle(check, 'papi_event_set%mark')
    end if
  end subroutine mark

  ! The time is taken after the counts, as %mark takes it before them. Nothing is known of the time of a stop.
  subroutine metric_of_set(self, name, value, seconds, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    character(len=*), intent(in) :: name
    real(c_double), intent(inout) :: value
    real(c_double), intent(in), optional :: seconds
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_long_long), allocatable :: counts(:)
    integer(c_long_long) :: nsec
    integer(c_int) :: check

    allocate (counts(max(1, events_of(self))))
    nsec = 0
    check = PAPI_read(self%es, counts)
    if (present(seconds)) then
      nsec = nint(max(seconds, 0.0_c_double) * 1e9_c_double, c_long_long)
    else if (self%marked /= 0) then
      if (set_runs(self)) nsec = PAPI_get_real_nsec() - self%marked
    end if
    if (check == PAPI_OK) call PAPIF_metric(self%es, name, counts, nsec, value, check)
    call settle_set(self, check, 'papi_event_set%metric: ' // trim(name), stat, errmsg)
  end subroutine metric_of_set

  ! ----------------------------------------------------------------------------------------- overflow

  subroutine overflow_code(self, code, threshold, handler, flags, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(in) :: code, threshold
    procedure(papi_overflow_handler), optional :: handler
    integer(c_int), intent(in), optional :: flags
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_funptr) :: called_back
    integer(c_int) :: wanted

    called_back = c_null_funptr
    if (present(handler)) called_back = c_funloc(handler)
    wanted = 0
    if (present(flags)) wanted = flags
    call settle_set(self, PAPI_overflow(self%es, code, threshold, wanted, called_back), 'papi_event_set%overflow', &
      stat, errmsg)
  end subroutine overflow_code

  subroutine overflow_name(self, name, threshold, handler, flags, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: threshold
    procedure(papi_overflow_handler), optional :: handler
    integer(c_int), intent(in), optional :: flags
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: code, check

    check = code_of(name, code)
    if (check == PAPI_OK) then
      call overflow_code(self, code, threshold, handler, flags, stat, errmsg)
    else
      call settle(check, 'papi_event_set%overflow: ' // trim(name), stat, errmsg)
    end if
  end subroutine overflow_name

  ! ------------------------------------------------------------------------ multiplexing, attachment

  ! The form of a set may be chosen before its first event.
  integer(c_int) function made(self) result(check)
    class(papi_event_set), intent(inout) :: self
    character(len=:), allocatable :: ignored

    check = PAPI_OK
    if (self%es == PAPI_NULL) call prepare(self, check, ignored)
  end function made

  subroutine multiplex(self, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = made(self)
    if (check == PAPI_OK) check = PAPI_set_multiplex(self%es)
    call settle(check, 'papi_event_set%multiplex', stat, errmsg)
  end subroutine multiplex

  logical function multiplexed(self, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: found

    found = 0
    if (self%es /= PAPI_NULL) found = PAPI_get_multiplex(self%es)
    multiplexed = found > 0
    call settle(min(PAPI_OK, found), 'papi_event_set%multiplexed', stat, errmsg)
  end function multiplexed

  subroutine share(self, on, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    logical, intent(in), optional :: on
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check, wanted

    wanted = 1
    if (present(on)) wanted = merge(1_c_int, 0_c_int, on)
    check = made(self)
    if (check == PAPI_OK) call PAPIF_set_share(self%es, wanted, check)
    call settle(check, 'papi_event_set%share', stat, errmsg)
  end subroutine share

  subroutine wait_at_start(self, seconds, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    real(c_double), intent(in) :: seconds
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = made(self)
    if (check == PAPI_OK) call PAPIF_set_wait(self%es, seconds, check)
    call settle(check, 'papi_event_set%wait', stat, errmsg)
  end subroutine wait_at_start

  subroutine shares(self, values, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    real(c_double), intent(inout) :: values(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: found(size(values))
    integer(c_int) :: check

    check = PAPI_EBUF
    if (size(values) >= self%count()) check = PAPI_read_shares(self%es, found)
    if (check == PAPI_OK) values(:self%count()) = found(:self%count())
    call settle_set(self, check, 'papi_event_set%shares', stat, errmsg)
  end subroutine shares

  subroutine attach(self, tid, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(in) :: tid
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = made(self)
    if (check == PAPI_OK) check = PAPI_attach_c(self%es, int(tid, c_long))
    call settle(check, 'papi_event_set%attach', stat, errmsg)
  end subroutine attach

  subroutine attach_process(self, pid, flags, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    integer(c_int), intent(in) :: pid
    integer(c_int), intent(in), optional :: flags
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check, chosen

    chosen = 0
    if (present(flags)) chosen = flags
    check = made(self)
    if (check == PAPI_OK) check = PAPI_attach_process(self%es, pid, chosen)
    call settle(check, 'papi_event_set%attach_process', stat, errmsg)
  end subroutine attach_process

  subroutine attach_cgroup(self, path, stat, errmsg)
    class(papi_event_set), intent(inout) :: self
    character(len=*), intent(in) :: path
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = made(self)
    if (check == PAPI_OK) call PAPIF_attach_cgroup(self%es, path, check)
    call settle(check, 'papi_event_set%attach_cgroup', stat, errmsg)
  end subroutine attach_cgroup

  subroutine read_threads(self, tids, values, n, ended, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_long_long), intent(out) :: tids(:)
    integer(c_long_long), intent(out), contiguous :: values(:, :)
    integer(c_int), intent(out) :: n
    integer(c_long_long), intent(out), optional :: ended(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_long_long) :: numbers(size(tids)), ends(size(tids))
    integer(c_int) :: check, room

    n = min(size(tids), size(values, 2))
    if (present(ended)) n = min(n, size(ended))
    room = n
    check = PAPI_EINVAL
    if (size(values, 1) == self%count()) check = PAPI_read_threads(self%es, numbers, ends, values, n)
    room = min(room, n)
    if (check == PAPI_OK .or. check == PAPI_ECLOST) then
      tids(:room) = numbers(:room)
      if (present(ended)) ended(:room) = ends(:room)
    end if
    call settle_set(self, check, 'papi_event_set%read_threads', stat, errmsg)
  end subroutine read_threads

  subroutine detach(self, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    call settle_set(self, PAPI_detach_c(self%es), 'papi_event_set%detach', stat, errmsg)
  end subroutine detach

  ! -------------------------------------------------------------------------------------------- state

  integer(c_int) function state_of_set(self, stat, errmsg) result(status)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    status = PAPI_STOPPED
    check = PAPI_OK
    if (self%es /= PAPI_NULL) check = PAPI_state(self%es, status)
    call settle(check, 'papi_event_set%state', stat, errmsg)
  end function state_of_set

  logical function set_runs(self, stat, errmsg)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg

    set_runs = iand(state_of_set(self, stat, errmsg), PAPI_RUNNING) /= 0
  end function set_runs

  integer(c_int) function count_events(self, stat, errmsg) result(n)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: found

    found = 0
    if (self%es /= PAPI_NULL) found = PAPI_num_events(self%es)
    n = max(0, found)
    call settle(min(PAPI_OK, found), 'papi_event_set%count', stat, errmsg)
  end function count_events

  subroutine list(self, codes, check)
    class(papi_event_set), intent(in) :: self
    integer(c_int), allocatable, intent(out) :: codes(:)
    integer(c_int), intent(out) :: check
    integer(c_int) :: n

    n = count_events(self, check)
    allocate (codes(n))
    if (n > 0) check = PAPI_list_events(self%es, codes, n)
  end subroutine list

  function event_codes(self, stat, errmsg) result(codes)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int), allocatable :: codes(:)
    integer(c_int) :: check

    call list(self, codes, check)
    call settle(check, 'papi_event_set%codes', stat, errmsg)
  end function event_codes

  function event_name(self, i, stat, errmsg) result(name)
    class(papi_event_set), intent(in) :: self
    integer(c_int), intent(in) :: i
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: name
    character(len=PAPI_MAX_STR_LEN) :: found
    integer(c_int), allocatable :: codes(:)
    integer(c_int) :: check

    call list(self, codes, check)
    found = ' '
    if (check == PAPI_OK .and. (i < 1 .or. i > size(codes))) then
      call settle(PAPI_EINVAL, 'papi_event_set%name', stat, errmsg, 'the event set has no event of this number')
    else
      if (check == PAPI_OK) call PAPIF_event_code_to_name(codes(i), found, check)
      call settle(check, 'papi_event_set%name', stat, errmsg)
    end if
    name = trim(found)
  end function event_name

end module papi_event_sets
