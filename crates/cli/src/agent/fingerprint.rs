//! What tells two agents of one name apart, so that no log is gone on with by another: [`AgentSpec::fingerprint`].

use super::{AgentSpec, agent_file};
use afterstate_engine::value::ShapeAgent;
use anyhow::{Context, Result};

impl AgentSpec {
    /// A check sum of what the name does not say: the weights of checkpoints, which a training anew changes, and the settings where
    /// the agent was given a name or has a file of its own. Empty if the name says everything.
    ///
    /// # Errors
    ///
    /// A checkpoint that cannot be read.
    pub fn fingerprint(&self) -> Result<String> {
        let is_what_it_is_called = || AgentSpec::parse(&self.name).is_ok_and(|said| said.agent == self.agent);
        let says_its_settings = agent_file(&self.name).is_none() && is_what_it_is_called();
        let settings = (!says_its_settings).then(|| format!("{:?}", self.agent));
        self.check_sum(settings.as_deref())
    }

    /// The same of the weights alone, for names that go on to mean the same settings from one version to the next.
    ///
    /// # Errors
    ///
    /// A checkpoint that cannot be read.
    pub fn weights_fingerprint(&self) -> Result<String> {
        self.check_sum(None)
    }

    fn check_sum(&self, settings: Option<&str>) -> Result<String> {
        let mut hasher = crc32fast::Hasher::new();
        let mut silent = settings.is_none();
        hasher.update(settings.unwrap_or_default().as_bytes());
        for checkpoint in self.agent.clone().checkpoints() {
            // "none" and the names of what is built in are no files, and what is missing is told when the agent is made.
            if let Ok(file) = ShapeAgent::find(checkpoint) {
                hasher.update(&std::fs::read(&file).with_context(|| file.display().to_string())?);
                silent = false;
            }
        }
        Ok(if silent { String::new() } else { format!("{:08x}", hasher.finalize()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_and_named_settings_have_fingerprints_and_a_spec_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let of = |spec: &AgentSpec| spec.fingerprint().unwrap();
        let spec = |text: &str| AgentSpec::parse(text).unwrap();
        assert_eq!(of(&spec("uct:300")), "");

        let weights = folder.path().join("1.safetensors");
        std::fs::write(&weights, "one").unwrap();
        let learnt = spec(&format!("alpha-beta:{},depth=2", weights.display()));
        let first = of(&learnt);
        assert_eq!(of(&learnt), first);
        std::fs::write(&weights, "two").unwrap();
        assert_ne!(of(&learnt), first);

        let file = folder.path().join("a.toml");
        let written = |simulations: u32| {
            std::fs::write(&file, format!("agent = \"uct\"\nsimulations = {simulations}\n")).unwrap();
            of(&spec(file.to_str().unwrap()))
        };
        assert_ne!(written(300), written(400));
        let sum = |spec: &AgentSpec| spec.weights_fingerprint().unwrap();
        let named_learnt = AgentSpec { name: "mine".into(), ..learnt.clone() };
        assert_eq!((sum(&named_learnt), sum(&spec("uct:300"))), (of(&learnt), String::new()));
        let named = |text: &str| AgentSpec { name: "mine".into(), ..spec(text) };
        assert_ne!(of(&named("uct:300")), of(&named("uct:400")));
        // A name may look like a spec and be none.
        assert_ne!(of(&AgentSpec { name: "uct".into(), ..spec("uct:300") }), "");
    }
}
