// SPDX-License-Identifier: BSD-3-Clause
//! What can be counted here, and on what machine.
use crate::call::{string, text};
use crate::error::{check, Error, Result};
use crate::sys;
use std::mem;
use std::os::raw::c_int;

/// The description of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventInfo {
    /// Its code.
    pub code: c_int,
    /// Its name.
    pub name: String,
    /// A few words, of a preset.
    pub short_description: String,
    /// A sentence.
    pub description: String,
    /// Units of the value; empty for plain counts.
    pub units: String,
    /// A remark; of an event that cannot be counted here, why.
    pub note: String,
    /// How many native events a preset takes; 0: it does not count here.
    pub native_count: u32,
}

impl EventInfo {
    fn of(code: c_int) -> Result<EventInfo> {
        // SAFETY: all bytes of it may be zero.
        let mut info: Box<sys::PAPI_event_info_t> = Box::new(unsafe { mem::zeroed() });
        // SAFETY: the pointer is that of a structure.
        check(unsafe { sys::PAPI_get_event_info(code, &mut *info) })?;
        Ok(EventInfo {
            code,
            name: string(&info.symbol),
            short_description: string(&info.short_descr),
            description: string(&info.long_descr),
            units: string(&info.units),
            note: string(&info.note),
            native_count: info.count,
        })
    }
}

/// Goes through an enumeration of the library, whose calls get the code and how to step.
fn events(mut code: c_int, step: impl Fn(&mut c_int, c_int) -> c_int) -> Result<Vec<EventInfo>> {
    let mut found = Vec::new();
    let mut modifier = sys::PAPI_ENUM_FIRST;
    loop {
        match step(&mut code, modifier) {
            // After the last.
            sys::PAPI_ENOEVNT => return Ok(found),
            result => check(result)?,
        };
        found.push(EventInfo::of(code)?);
        modifier = sys::PAPI_ENUM_EVENTS;
    }
}

/// Descriptions of all presets: [`EventInfo::native_count`] is 0 where one does not count here, and
/// [`EventInfo::note`] says why.
pub fn all_presets() -> Result<Vec<EventInfo>> {
    crate::init()?;
    // SAFETY: the pointer is that of a variable.
    events(sys::PAPI_PRESET_MASK, |code, modifier| unsafe { sys::PAPI_enum_event(code, modifier) })
}

/// Descriptions of the presets that count here.
pub fn presets() -> Result<Vec<EventInfo>> {
    let mut found = all_presets()?;
    found.retain(|preset| preset.native_count > 0);
    Ok(found)
}

/// Descriptions of the native events of a component, such as "perf_event", without their masks.
pub fn native_events(component: &str) -> Result<Vec<EventInfo>> {
    crate::init()?;
    let name = text(component)?;
    // SAFETY: the text ends with a zero byte.
    let cidx = check(unsafe { sys::PAPI_get_component_index(name.as_ptr()) })?;
    // SAFETY: the pointer is that of a variable.
    events(sys::PAPI_NATIVE_MASK, |code, modifier| unsafe { sys::PAPI_enum_cmp_event(code, modifier, cidx) })
}

/// A component of the library: a source of events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Component {
    /// Its name.
    pub name: String,
    /// What it counts.
    pub description: String,
    /// Why it counts nothing here; None: it does count.
    pub disabled: Option<String>,
    /// How many native events can be named.
    pub native_events: c_int,
}

/// The components of the library.
pub fn components() -> Result<Vec<Component>> {
    crate::init()?;
    let mut found = Vec::new();
    // SAFETY: the pointer is null, or that of a structure of the library until it is shut down.
    unsafe {
        for cidx in 0..check(sys::PAPI_num_components())? {
            let info = described(sys::PAPI_get_component_info(cidx))?;
            found.push(Component {
                name: string(&info.name),
                description: string(&info.description),
                disabled: (info.disabled != 0).then(|| string(&info.disabled_reason)),
                native_events: info.num_native_events,
            });
        }
    }
    Ok(found)
}

/// The machine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hardware {
    /// Who made the processor.
    pub vendor: String,
    /// Its name.
    pub model: String,
    /// Sockets with a processor.
    pub sockets: c_int,
    /// Cores in a socket.
    pub cores: c_int,
    /// CPUs, or hardware threads, in a core.
    pub threads: c_int,
    /// CPUs in the machine.
    pub total_cpus: c_int,
    /// NUMA nodes.
    pub numa_nodes: c_int,
    /// The clock rate that a user would quote.
    pub mhz: f32,
    /// Whether it is a virtual machine.
    pub is_virtual: bool,
}

/// A description of the machine; [`sys::PAPI_get_hardware_info`] has more.
pub fn hardware() -> Result<Hardware> {
    crate::init()?;
    // SAFETY: the pointer is null, or that of a structure of the library until it is shut down.
    let info = unsafe { described(sys::PAPI_get_hardware_info())? };
    Ok(Hardware {
        vendor: string(&info.vendor_string),
        model: string(&info.model_string),
        sockets: info.sockets,
        cores: info.cores,
        threads: info.threads,
        total_cpus: info.totalcpus,
        numa_nodes: info.nnodes,
        mhz: info.mhz,
        is_virtual: info.virtualized != 0,
    })
}

/// # Safety
/// The pointer is null, or that of a structure that lives as long as is said.
unsafe fn described<'a, T>(pointer: *const T) -> Result<&'a T> {
    pointer.as_ref().ok_or_else(|| Error::new(sys::PAPI_ESYS, "the library has no description of it"))
}
