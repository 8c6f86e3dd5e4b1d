// SPDX-License-Identifier: BSD-3-Clause
//! What can be counted here, and on what machine.
use papi::sys;

#[test]
fn presets() -> papi::Result<()> {
    let all = papi::all_presets()?;
    assert!(all.len() > 100);
    assert_eq!(
        all.iter().find(|preset| preset.code == sys::PAPI_TOT_INS).map(|preset| preset.name.as_str()),
        Some("PAPI_TOT_INS")
    );
    assert!(all.iter().all(|preset| !preset.name.is_empty() && !preset.description.is_empty()));
    let here = papi::presets()?;
    assert!(here.iter().all(|preset| preset.native_count > 0 && all.contains(preset)));
    assert_eq!(here.len(), all.iter().filter(|preset| preset.native_count > 0).count());
    assert!(all.iter().filter(|preset| preset.native_count == 0).all(|preset| !preset.note.is_empty()));
    Ok(())
}

#[test]
fn components() -> papi::Result<()> {
    let all = papi::components()?;
    assert_eq!(all[0].name, "perf_event");
    assert!(papi::native_events("perf_event")?.iter().any(|event| event.name.contains("PAGE-FAULTS")));
    for component in all.iter().filter(|component| component.disabled.is_some()) {
        assert_ne!(component.disabled.as_deref(), Some(""), "{}", component.name);
    }
    Ok(())
}

#[test]
fn hardware() -> papi::Result<()> {
    let machine = papi::hardware()?;
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    assert!(machine.total_cpus as usize >= cpus.lines().filter(|line| line.starts_with("processor")).count());
    assert!(!machine.vendor.is_empty() && !machine.model.is_empty() && machine.mhz > 0.0);
    Ok(())
}
