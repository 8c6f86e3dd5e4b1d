! SPDX-License-Identifier: BSD-3-Clause
! type(papi_region): the region ends where the variable does.
program regions
  use checks
  use papi
  implicit none
  integer :: check, i

  call PAPIF_hl_region_begin('first', check)
  if (check /= PAPI_OK) then
    call skip('no regions here: ' // papi_error_text(check))
    call finish()
    stop
  end if
  call PAPIF_hl_region_end('first', check)
  call same(check, PAPI_OK, 'a region without a guard')

  do i = 1, 3
    block
      type(papi_region) :: region
      call region%enter('in a block  ', check)
      call same(check, PAPI_OK, 'enter')
      call require(region%inside(), 'inside')
      if (i == 2) cycle
    end block
    call require(.not. is_inside('in a block'), 'the end of the block')
  end do
  call require(.not. is_inside('in a block'), 'and CYCLE')
  call left_early()
  call require(.not. is_inside('outer'), 'RETURN')
  call require(.not. is_inside('inner'), 'RETURN from a block')
  call by_hand()
  call copies()
  call in_the_wrong_order()
  call require(.not. is_inside('outer'), 'variables of one procedure: the outer region')
  call require(.not. is_inside('middle'), 'variables of one procedure: the middle one')
  call require(.not. is_inside('inner'), 'variables of one procedure: the inner one')
  call ended_before_the_inner_one()
  call same_names()
  call finish()

contains

  ! The library says whether a region is open: its end works then.
  logical function is_inside(name)
    character(len=*), intent(in) :: name
    integer :: check

    call PAPIF_hl_region_end(name, check)
    is_inside = check == PAPI_OK
  end function is_inside

  subroutine left_early()
    type(papi_region) :: outer
    type(papi_region), allocatable :: allocated

    call outer%enter('outer')
    allocate (allocated)
    call allocated%enter('allocated')
    deallocate (allocated)
    call require(.not. is_inside('allocated'), 'DEALLOCATE')
    block
      type(papi_region) :: inner
      call inner%enter('inner')
      if (inner%inside()) return
    end block
    call require(.false., 'never reached')
  end subroutine left_early

  subroutine by_hand()
    type(papi_region) :: region
    character(len=100) :: text
    integer :: check

    call region%leave(check)
    call same(check, PAPI_OK, 'leave outside of a region')
    call region%enter('by hand')
    call region%enter('another', check, text)
    call same(check, PAPI_EINVAL, 'enter, again')
    call require(text == 'papi_region%enter: another: the variable is in region by hand', trim(text))
    call region%leave(check)
    call same(check, PAPI_OK, 'leave')
    call require(.not. region%inside(), 'outside')
    call require(.not. is_inside('by hand'), 'the region has ended')
    call region%enter('by hand')
    call require(is_inside('by hand'), 'the variable can be used again')
    call region%leave(check)
    call require(check /= PAPI_OK, 'leave tells if somebody else has ended the region')
  end subroutine by_hand

  ! gfortran ends them in the order of their declaration.
  subroutine in_the_wrong_order()
    type(papi_region) :: outer, middle, inner
    character(len=100) :: text

    call outer%enter('outer')
    call middle%enter('middle')
    call inner%enter('inner')
    call outer%leave(check)
    call same(check, PAPI_EINVAL, 'leave in the wrong order')
    call require(outer%inside(), 'the variable is still inside')
    call inner%leave(check)
    call same(check, PAPI_OK, 'leave the inner one')
    call middle%leave(check)
    call same(check, PAPI_OK, 'leave the middle one')
    call outer%leave(check)
    call same(check, PAPI_OK, 'leave the outer one at last')
    call require(.not. outer%inside(), 'outside')
    call outer%enter('', check, text)
    call same(check, PAPI_EINVAL, 'a region without a name')
    call require(index(text, '::') == 0 .and. index(text, ': :') == 0 .and. index(text, 'papi_region%enter: ') == 1, trim(text))
    call outer%enter('outer')
    call middle%enter('middle')
    call inner%enter('inner')
  end subroutine in_the_wrong_order

  ! The same in any compiler, and beside a region that is left alone.
  subroutine ended_before_the_inner_one()
    type(papi_region) :: around, inner, another
    type(papi_region), allocatable :: outer

    call around%enter('around')
    allocate (outer)
    call outer%enter('outer')
    call inner%enter('inner')
    deallocate (outer)
    call another%enter('outer')
    call another%leave(check)
    call same(check, PAPI_OK, 'a region inside')
    call require(inner%inside(), 'the inner variable is inside')
    call inner%leave(check)
    call same(check, PAPI_OK, 'and leaves')
    call require(.not. is_inside('outer'), 'the outer region is left with the inner one')
    call require(around%inside(), 'the one around it is not')
    call around%leave(check)
    call same(check, PAPI_OK, 'and can be left')
  end subroutine ended_before_the_inner_one

  subroutine same_names()
    type(papi_region) :: outer, inner

    call outer%enter('same')
    call inner%enter('same')
    call outer%leave(check)
    call same(check, PAPI_OK, 'one of two regions of the same name')
    call require(.not. outer%inside() .and. inner%inside(), 'the other one is open')
    call inner%leave(check)
    call same(check, PAPI_OK, 'and the other one')
    call require(.not. is_inside('same'), 'both have ended')
  end subroutine same_names

  subroutine copies()
    type(papi_region) :: region

    call region%enter('copied')
    block
      type(papi_region) :: copy
      copy = region
      call require(.not. copy%inside(), 'a copy is in no region')
    end block
    call require(region%inside(), 'and its end ends none')
    call region%leave(check)
    call same(check, PAPI_OK, 'the region was there to the end')
  end subroutine copies

end program regions
