//! Where a command writes to: what cannot be written, or would overwrite what is read, is found out before hours of work.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// A file by the name of the option that it was given with.
type Named<'a> = (&'a str, Option<&'a Path>);

/// Checks that files can be written, and that each is a file of its own and none that is `kept`: read, or written bit by bit.
/// Only `--csv -` is standard output.
pub fn check(written: &[Named<'_>], kept: &[Named<'_>]) -> Result<()> {
    for (option, path) in written {
        ensure!(
            *option == "--csv" || path.is_none_or(|path| path.as_os_str() != "-"),
            "{option} -: expected the name of a file; standard output has the report"
        );
    }
    let given = |named: &[Named<'_>]| -> Vec<(String, PathBuf)> {
        let is_file = |(option, path): &Named<'_>| {
            Some((option.to_string(), path.filter(|path| path.as_os_str() != "-")?.into()))
        };
        named.iter().filter_map(is_file).collect()
    };
    let (written, mut others) = (given(written), given(kept));
    for (option, path) in written {
        if let Some((other, _)) = others.iter().find(|(_, other)| is_same(other, &path)) {
            anyhow::bail!("{option} and {other} are the same file, {}: name another one", path.display());
        }
        can_be_written(&path).with_context(|| format!("{option} {}", path.display()))?;
        others.push((option, path));
    }
    Ok(())
}

/// Whether two paths lead to one file, which need not be there yet. Devices and pipes may take several.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| match fs::canonicalize(path) {
        Ok(whole) => Some(whole),
        Err(_) => Some(fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?)),
    };
    let is_device = fs::metadata(one).is_ok_and(|there| !there.is_file());
    !is_device && (one == other || place(one).is_some_and(|place_of_one| place(other) == Some(place_of_one)))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes its folder, and sees whether there can be a new file in it.
fn can_be_written(path: &Path) -> Result<()> {
    ensure!(path.file_name().is_some() && !path.is_dir(), "expected the name of a file");
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Ok(());
    }
    folder_takes_files(folder_of(path))
}

/// Makes a folder, and sees whether there can be a new file in it.
pub fn folder_takes_files(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let trial = folder.join(format!(".{}.tmp", std::process::id()));
    fs::File::create(&trial)?;
    Ok(fs::remove_file(&trial)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_where_they_can_be_and_each_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let [log, new] = ["games.jsonl", "deep/er/new.csv"].map(|name| folder.path().join(name));
        fs::write(&log, "kept").unwrap();
        let checked = |path: &Path| check(&[("--csv", Some(path)), ("--svg", None)], &[("--log", Some(&log))]);
        checked(&new).unwrap();
        assert!(new.parent().unwrap().is_dir() && !new.exists());
        checked(Path::new("-")).unwrap();
        let error = check(&[("--svg", Some(Path::new("-")))], &[]).unwrap_err().to_string();
        assert!(error.starts_with("--svg -: expected the name of a file"), "{error}");
        let error = checked(&folder.path().join("deep/../games.jsonl")).unwrap_err().to_string();
        assert!(error.starts_with("--csv and --log are the same file"), "{error}");
        let error = check(&[("--csv", Some(&new)), ("--mat", Some(&new))], &[]).unwrap_err().to_string();
        assert!(error.starts_with("--mat and --csv"), "{error}");
        for wrong in [&log.join("x.csv"), folder.path()] {
            assert!(checked(wrong).is_err(), "{}", wrong.display());
        }
        assert_eq!(fs::read(&log).unwrap(), b"kept");
    }
}
