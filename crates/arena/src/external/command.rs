//! How to start an engine: a command line, split as a shell would, and the program found.

use crate::PlayerError;
use std::path::{Path, PathBuf};

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    program: String,
    args: Vec<String>,
    /// Variables of the environment that differ from our own.
    environment: Vec<(String, String)>,
}

/// Where Debian puts games, which is often not on `PATH` for services and in containers.
const GAMES_FOLDER: &str = "/usr/games";

impl EngineCommand {
    /// Splits a command line at blanks; quotes and backslashes work as in a shell, nothing else does.
    ///
    /// ```
    /// use afterstate_arena::external::EngineCommand;
    /// let command = EngineCommand::parse("engine --name 'two words' --level 10").unwrap();
    /// assert_eq!(command.args(), ["--name", "two words", "--level", "10"]);
    /// assert!(EngineCommand::parse("engine 'unclosed").is_err());
    /// ```
    pub fn parse(line: &str) -> Result<EngineCommand, PlayerError> {
        let mut words = shlex::split(line)
            .ok_or_else(|| {
                PlayerError::NotStarted(format!("command line {line:?}: a quote is not closed or a backslash ends it"))
            })?
            .into_iter();
        let program = words.next().ok_or_else(|| {
            PlayerError::NotStarted(format!("command line {line:?}: expected a program, as in 'gnugo --mode gtp'"))
        })?;
        if line.contains('\0') {
            return Err(PlayerError::NotStarted(format!("command line {line:?}: contains a zero byte")));
        }
        Ok(EngineCommand { program, args: words.collect(), environment: Vec::new() })
    }

    /// The same program, with another value of a variable of its environment.
    pub fn with_environment(mut self, name: &str, value: &str) -> EngineCommand {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The program as it was written.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Its arguments.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// The variables of its environment that differ from our own.
    pub fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        self.environment.iter().map(|(name, value)| (&name[..], &value[..]))
    }

    /// The program's file: as written if it names a folder, else the first one on `PATH`, else in
    /// `/usr/games`, where Debian puts games.
    pub fn resolve(&self) -> Result<PathBuf, PlayerError> {
        let fail = |why: String| Err(PlayerError::NotStarted(why));
        if self.program.contains('/') {
            return if is_program(Path::new(&self.program)) {
                Ok(PathBuf::from(&self.program))
            } else {
                fail(format!("'{}' does not exist or is not executable", self.program))
            };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .chain([PathBuf::from(GAMES_FOLDER)])
            .flat_map(|folder| [folder.join(&self.program), folder.join(format!("{}.exe", self.program))])
            .find(|file| is_program(file))
            .map_or_else(
                || {
                    fail(format!(
                        "'{}' is neither on PATH nor in {GAMES_FOLDER}; install it or write its full path",
                        self.program
                    ))
                },
                Ok,
            )
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_a_hint() {
        let error = EngineCommand::parse("no-such-engine-here --gtp").unwrap().resolve().unwrap_err().to_string();
        assert!(error.contains("no-such-engine-here") && error.contains("/usr/games"), "{error}");
        let error = EngineCommand::parse("./no/such --gtp").unwrap().resolve().unwrap_err().to_string();
        assert!(error.contains("./no/such"), "{error}");
        assert!(EngineCommand::parse("  ").unwrap_err().to_string().contains("expected a program"));
    }
}
