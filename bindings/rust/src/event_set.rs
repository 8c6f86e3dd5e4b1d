// SPDX-License-Identifier: BSD-3-Clause
//! Event sets, which own their counters.
use crate::call;
use crate::counts::{Counts, DataType, Event};
use crate::error::{check, Error, Result};
use crate::sys;
use std::marker::PhantomData;
use std::mem;
use std::os::raw::{c_int, c_longlong, c_ulong};
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// In which modes of the processor events are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Domain {
    /// User mode, as by default.
    User,
    /// The kernel on behalf of the thread.
    Kernel,
    /// All modes.
    All,
}

/// An event set has no more events: an overflow vector has a bit for each.
const MOST_EVENTS: usize = 64;

impl Domain {
    fn number(self) -> c_int {
        match self {
            Domain::User => sys::PAPI_DOM_USER,
            Domain::Kernel => sys::PAPI_DOM_KERNEL,
            Domain::All => sys::PAPI_DOM_ALL,
        }
    }
}

/// Events that are counted together, in the thread that made the set.
///
/// It can be neither sent to another thread nor used there: the counters are those of its thread.
///
/// ```compile_fail
/// let events = papi::EventSet::new().unwrap();
/// std::thread::spawn(move || events.len());
/// ```
#[derive(Debug)]
pub struct EventSet {
    handle: c_int,
    events: Arc<Vec<Event>>,
    /// Room for the counts: while it counts, nothing is allocated for them.
    values: Vec<i64>,
    begun: Option<Instant>,
    elapsed: Duration,
    of_one_thread: PhantomData<*mut ()>,
}

impl EventSet {
    /// An event set without events.
    pub fn new() -> Result<EventSet> {
        crate::init()?;
        let mut handle = sys::PAPI_NULL;
        // SAFETY: the pointer is that of a variable.
        check(unsafe { sys::PAPI_create_eventset(&mut handle) })?;
        Ok(EventSet {
            handle,
            events: Arc::default(),
            values: Vec::new(),
            begun: None,
            elapsed: Duration::ZERO,
            of_one_thread: PhantomData,
        })
    }

    /// An event set with these events.
    pub fn with_events<I>(events: I) -> Result<EventSet>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut set = EventSet::new()?;
        for event in events {
            set.add(event.as_ref())?;
        }
        Ok(set)
    }

    // ---- what it counts

    /// Adds an event by its name: a preset, a native event, or one of a component.
    pub fn add(&mut self, name: &str) -> Result<&mut EventSet> {
        let text = call::text(name)?;
        // SAFETY: the text ends with a zero byte.
        check(unsafe { sys::PAPI_add_named_event(self.handle, text.as_ptr()) })?;
        let mut codes = [0; MOST_EVENTS];
        match self.codes(&mut codes)?.last() {
            Some(&code) => self.added(name.to_owned(), code),
            None => Err(Error::new(sys::PAPI_EBUG, format!("{name} was added, and is not in the set"))),
        }
    }

    /// Adds an event by its code.
    pub fn add_code(&mut self, code: c_int) -> Result<&mut EventSet> {
        let name = name_of(code)?;
        // SAFETY: only numbers go in.
        check(unsafe { sys::PAPI_add_event(self.handle, code) })?;
        self.added(name, code)
    }

    /// Takes an event out by its name.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        let text = call::text(name)?;
        // SAFETY: the text ends with a zero byte.
        check(unsafe { sys::PAPI_remove_named_event(self.handle, text.as_ptr()) })?;
        // The library may know the event by more names than the one that it was added by.
        let mut codes = [0; MOST_EVENTS];
        let codes = self.codes(&mut codes)?;
        let place = self.events.iter().zip(codes).position(|(event, &code)| event.code != code).unwrap_or(codes.len());
        if place < self.events.len() {
            Arc::make_mut(&mut self.events).remove(place);
        }
        self.values.truncate(self.len());
        Ok(())
    }

    /// Notes the event that was added last; one that nothing is known of is taken out again.
    fn added(&mut self, name: String, code: c_int) -> Result<&mut EventSet> {
        // SAFETY: all bytes of it may be zero.
        let mut info: Box<sys::PAPI_event_info_t> = Box::new(unsafe { mem::zeroed() });
        // SAFETY: the pointer is that of a structure.
        if let Err(error) = check(unsafe { sys::PAPI_get_event_info(code, &mut *info) }) {
            // SAFETY: only numbers go in.
            unsafe { sys::PAPI_remove_event(self.handle, code) };
            return Err(error);
        }
        Arc::make_mut(&mut self.events).push(Event { code, name, data_type: DataType::of(info.data_type) });
        self.values.resize(self.len(), 0);
        Ok(self)
    }

    /// The codes of the events that the library has in the set.
    fn codes<'a>(&self, room: &'a mut [c_int; MOST_EVENTS]) -> Result<&'a [c_int]> {
        let mut n = MOST_EVENTS as c_int;
        // SAFETY: there is room for as many codes as is said.
        check(unsafe { sys::PAPI_list_events(self.handle, room.as_mut_ptr(), &mut n) })?;
        Ok(&room[..MOST_EVENTS.min(n as usize)])
    }

    /// The names are those of the events.
    fn check_events(&self) -> Result<()> {
        let mut codes = [0; MOST_EVENTS];
        if self.codes(&mut codes)?.iter().ne(self.events.iter().map(|event| &event.code)) {
            let reason =
                "the events of the set were changed by its handle: add and remove of EventSet keep their names and places";
            return Err(Error::new(sys::PAPI_EINVAL, reason));
        }
        Ok(())
    }

    /// Binds an empty set to a component, by its name, for the settings below; without it, to that of the processor.
    pub fn set_component(&mut self, name: &str) -> Result<&mut EventSet> {
        let name = call::text(name)?;
        // SAFETY: the text ends with a zero byte.
        let cidx = check(unsafe { sys::PAPI_get_component_index(name.as_ptr()) })?;
        // SAFETY: only numbers go in.
        check(unsafe { sys::PAPI_assign_eventset_component(self.handle, cidx) })?;
        Ok(self)
    }

    /// Has the events take turns where there are more than counters: their counts are estimates.
    pub fn set_multiplex(&mut self) -> Result<&mut EventSet> {
        self.bind()?;
        // SAFETY: only numbers go in.
        check(unsafe { sys::PAPI_set_multiplex(self.handle) })?;
        Ok(self)
    }

    /// Counts another thread or process, by its number, instead of this one.
    pub fn attach(&mut self, tid: u32) -> Result<&mut EventSet> {
        self.bind()?;
        // SAFETY: only numbers go in.
        check(unsafe { sys::PAPI_attach(self.handle, c_ulong::from(tid)) })?;
        Ok(self)
    }

    /// Counts threads and processes that start later, too.
    pub fn set_inherit(&mut self) -> Result<&mut EventSet> {
        let inherit = sys::PAPI_inherit_option_t { eventset: self.handle, inherit: sys::PAPI_INHERIT_ALL };
        self.option(sys::PAPI_INHERIT, sys::PAPI_option_t { inherit })
    }

    /// In which modes of the processor it counts.
    pub fn set_domain(&mut self, domain: Domain) -> Result<&mut EventSet> {
        let domain = sys::PAPI_domain_option_t { def_cidx: 0, eventset: self.handle, domain: domain.number() };
        self.option(sys::PAPI_DOMAIN, sys::PAPI_option_t { domain })
    }

    fn option(&mut self, option: c_int, mut value: sys::PAPI_option_t) -> Result<&mut EventSet> {
        self.bind()?;
        // SAFETY: the member of the union is that of the option.
        check(unsafe { sys::PAPI_set_opt(option, &mut value) })?;
        Ok(self)
    }

    /// An empty set belongs to no component, which options of the set need.
    fn bind(&self) -> Result<()> {
        // SAFETY: only numbers go in.
        unsafe {
            if self.events.is_empty() && sys::PAPI_get_eventset_component(self.handle) < 0 {
                check(sys::PAPI_assign_eventset_component(self.handle, 0))?;
            }
        }
        Ok(())
    }

    // ---- counting

    /// What a closure counts: its result, and the counts.
    ///
    /// Where it panics or the counts cannot be read, the set is stopped. Where the counts are lost, so is the result: a closure
    /// that must not be in vain puts it into a variable outside.
    pub fn count<R>(&mut self, what: impl FnOnce() -> R) -> Result<(R, Counts)> {
        self.start()?;
        let stopping = Stopping(self.handle);
        let result = what();
        let counts = self.stop()?;
        mem::forget(stopping);
        Ok((result, counts))
    }

    /// Zeroes the counts and starts.
    pub fn start(&mut self) -> Result<()> {
        let begun = Instant::now();
        // SAFETY: only numbers go in.
        check(unsafe { sys::PAPI_start(self.handle) })?;
        self.begun = Some(begun);
        Ok(())
    }

    /// The counts so far; of a stopped set, those that it stopped with.
    pub fn read(&self) -> Result<Counts> {
        self.check_events()?;
        let mut values = vec![0; self.len()];
        self.read_into(&mut values)?;
        Ok(Counts::new(Arc::clone(&self.events), &values, self.elapsed()))
    }

    /// Stops, and gives the counts.
    pub fn stop(&mut self) -> Result<Counts> {
        let mut values = mem::take(&mut self.values);
        let stopped = self.stop_into(&mut values);
        self.values = values;
        stopped?;
        self.check_events()?;
        Ok(Counts::new(Arc::clone(&self.events), &self.values, self.elapsed()))
    }

    /// The counts so far, into memory of the caller: one element for each event, or more. It allocates nothing: for loops.
    ///
    /// An event that is a real number is its bits here: [`f64::from_bits`].
    pub fn read_into(&self, values: &mut [i64]) -> Result<()> {
        let values = self.room(values)?;
        // SAFETY: there is room for a count of each event.
        check(unsafe { sys::PAPI_read(self.handle, values) })?;
        Ok(())
    }

    /// Stops, with the counts as of [`read_into`](EventSet::read_into).
    pub fn stop_into(&mut self, values: &mut [i64]) -> Result<()> {
        let values = self.room(values)?;
        // SAFETY: there is room for a count of each event.
        check(unsafe { sys::PAPI_stop(self.handle, values) })?;
        self.elapsed = self.elapsed();
        self.begun = None;
        Ok(())
    }

    /// Counts from zero.
    pub fn reset(&mut self) -> Result<()> {
        // SAFETY: only numbers go in.
        check(unsafe { sys::PAPI_reset(self.handle) })?;
        self.begun = self.begun.map(|_| Instant::now());
        self.elapsed = Duration::ZERO;
        Ok(())
    }

    /// Room by the number of events that the library has, which writes there.
    fn room(&self, values: &mut [i64]) -> Result<*mut c_longlong> {
        // SAFETY: only a number goes in.
        let n = check(unsafe { sys::PAPI_num_events(self.handle) })?;
        if values.len() < n as usize {
            let reason = format!("there is room for {} counts, and the set has {n} events", values.len());
            return Err(Error::new(sys::PAPI_EBUF, reason));
        }
        Ok(values.as_mut_ptr())
    }

    fn elapsed(&self) -> Duration {
        self.begun.map_or(self.elapsed, |begun| begun.elapsed())
    }

    /// The value of a metric, such as "ipc" or "mflops", of counts of this set.
    pub fn metric(&self, name: &str, counts: &Counts) -> Result<f64> {
        if counts.events() != self.events.as_slice() {
            let reason = format!("metric {name}: the counts are of other events than the set has");
            return Err(Error::new(sys::PAPI_EINVAL, reason));
        }
        self.check_events()?;
        let name = call::text(name)?;
        let mut values: Vec<c_longlong> = counts.values().iter().map(|count| count.bits()).collect();
        let nsec = c_longlong::try_from(counts.elapsed().as_nanos()).unwrap_or(0);
        let mut value = 0.0;
        // SAFETY: there is a count of each event, and the text ends with a zero byte.
        check(unsafe { sys::PAPI_metric(self.handle, name.as_ptr(), values.as_mut_ptr(), nsec, &mut value) })?;
        Ok(value)
    }

    // ---- its state

    /// Whether it counts now.
    pub fn is_running(&self) -> bool {
        let mut state = 0;
        // SAFETY: the pointer is that of a variable.
        let result = unsafe { sys::PAPI_state(self.handle, &mut state) };
        result == sys::PAPI_OK && state & sys::PAPI_RUNNING != 0
    }

    /// How many events it has.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The names of the events, in the order of the counts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(|event| event.name.as_str())
    }

    /// Its number, for the functions of [`sys`]. After events were added or removed there, reading gives an error.
    pub fn handle(&self) -> c_int {
        self.handle
    }
}

impl Drop for EventSet {
    fn drop(&mut self) {
        // SAFETY: numbers, and the pointer of a variable. What fails went with the library, or belongs to a parent process.
        unsafe {
            if self.is_running() {
                sys::PAPI_stop(self.handle, ptr::null_mut());
            }
            sys::PAPI_cleanup_eventset(self.handle);
            sys::PAPI_destroy_eventset(&mut self.handle);
        }
    }
}

/// Stops a set where a closure panics, or its counts cannot be read.
struct Stopping(c_int);

impl Drop for Stopping {
    fn drop(&mut self) {
        // SAFETY: no counts are wanted.
        unsafe { sys::PAPI_stop(self.0, ptr::null_mut()) };
    }
}

pub(crate) fn name_of(code: c_int) -> Result<String> {
    let mut name = [0; sys::PAPI_MAX_STR_LEN as usize];
    // SAFETY: there is room for as many bytes as the contract asks for.
    match unsafe { sys::PAPI_event_code_to_name(code, name.as_mut_ptr()) } {
        // A long name is cut, and which it is can be seen.
        sys::PAPI_EBUF => Ok(call::string(&name)),
        result => check(result).map(|_| call::string(&name)),
    }
}
