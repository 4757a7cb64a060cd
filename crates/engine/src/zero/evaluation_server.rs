//! [`EvaluationServer`]: one network, or some of the same, that answer many threads, together.
//!
//! ```text
//! repeat:  wait for a question
//!          wait for more, until the batch is full, everybody who could ask has asked, or the first has waited for too long
//!          answer them, while the next network waits for questions
//! ```
//!
//! A processor's network is best off with a copy for each thread; what needs large batches, or is there only once, is best off here.

use super::network::{Network, Question};
use afterstate_games::Game;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// When a server answers.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ServerSettings {
    /// Positions that are answered together, at most.
    pub batch: usize,
    /// How long the first question of a batch waits for others, in microseconds.
    pub deadline: u64,
    /// Networks that answer by turns, 1 or more: a device calculates for one while others fill in their planes and read answers.
    pub networks: usize,
}

impl Default for ServerSettings {
    fn default() -> Self {
        ServerSettings { batch: 256, deadline: 1_000, networks: 1 }
    }
}

/// The questions of one client, and the way back to it.
struct Asked<G: Game> {
    questions: Vec<Question<G>>,
    back: Sender<Vec<Question<G>>>,
}

/// What server and clients both know.
#[derive(Debug, Default)]
struct Common {
    /// Who could ask.
    clients: AtomicUsize,
    /// Those who are being answered.
    answered: AtomicUsize,
    batches: AtomicU64,
    questions: AtomicU64,
}

/// Threads with a network each. They end with the server and the last of its [clients](Self::client).
///
/// ```
/// use afterstate_engine::zero::{EvaluationServer, Network, Question, ServerSettings, Uniform};
/// use afterstate_games::ConnectFour;
/// let server = EvaluationServer::start(|| Uniform, ServerSettings::default());
/// std::thread::scope(|scope| {
///     for mut client in [server.client(), server.client()] {
///         scope.spawn(move || {
///             let mut question = Question::new(ConnectFour::new());
///             client.evaluate(&mut [&mut question]);
///             assert_eq!(question.priors[3], 1.0 / 7.0);
///         });
///     }
/// });
/// assert_eq!(server.questions(), 2);
/// ```
#[derive(Debug)]
pub struct EvaluationServer<G: Game> {
    inbox: Sender<Asked<G>>,
    common: Arc<Common>,
    sees: fn(&G) -> u64,
}

impl<G: Game> EvaluationServer<G> {
    /// Starts threads that answer, each with what `network` makes, always the same.
    pub fn start<N: Network<G> + 'static>(mut network: impl FnMut() -> N, settings: ServerSettings) -> Self {
        let (inbox, asked) = channel();
        let common = Arc::new(Common::default());
        let asked = Arc::new(Mutex::new(asked));
        let mut sees: fn(&G) -> u64 = G::key;
        for _ in 0..settings.networks.max(1) {
            let (network, asked, of_thread) = (network(), asked.clone(), common.clone());
            sees = network.sees();
            std::thread::spawn(move || serve(network, settings, &asked, &of_thread));
        }
        EvaluationServer { inbox, common, sees }
    }

    /// Somebody who asks. The server answers without further waiting when all clients wait.
    pub fn client(&self) -> Client<G> {
        self.common.clients.fetch_add(1, Ordering::Relaxed);
        Client { inbox: self.inbox.clone(), common: self.common.clone(), sees: self.sees, spare: Vec::new() }
    }

    /// Positions that were answered until now.
    pub fn questions(&self) -> u64 {
        self.common.questions.load(Ordering::Relaxed)
    }

    /// Batches that they came in.
    pub fn batches(&self) -> u64 {
        self.common.batches.load(Ordering::Relaxed)
    }
}

fn serve<G: Game>(
    mut network: impl Network<G>,
    settings: ServerSettings,
    inbox: &Mutex<Receiver<Asked<G>>>,
    common: &Common,
) {
    let batch = settings.batch.max(1);
    let mut waiting: Vec<Asked<G>> = Vec::new();
    while collect(batch, settings.deadline, inbox, common, &mut waiting) {
        let mut all: Vec<&mut Question<G>> = waiting.iter_mut().flat_map(|asked| &mut asked.questions).collect();
        // Parts of one size: a device takes nearly as long for a few questions as for many.
        let parts = all.len().div_ceil(batch).max(1);
        let size = all.len().div_ceil(parts).max(1);
        for part in all.chunks_mut(size) {
            network.evaluate(part);
            common.batches.fetch_add(1, Ordering::Relaxed);
        }
        common.questions.fetch_add(all.len() as u64, Ordering::Relaxed);
        common.answered.fetch_sub(waiting.len(), Ordering::Relaxed);
        for Asked { questions, back } in waiting.drain(..) {
            // Who is gone needs no answer.
            let _ = back.send(questions);
        }
    }
}

/// Waits for questions that will be answered together. `false` if there is nobody left who could ask.
fn collect<G: Game>(
    batch: usize,
    deadline: u64,
    inbox: &Mutex<Receiver<Asked<G>>>,
    common: &Common,
    waiting: &mut Vec<Asked<G>>,
) -> bool {
    // The next network waits for questions only when this one has its own.
    let inbox = inbox.lock().expect("nobody panics while he waits for questions");
    let Ok(first) = inbox.recv() else { return false };
    let deadline = Instant::now() + Duration::from_micros(deadline);
    let mut questions = first.questions.len();
    waiting.push(first);
    while questions < batch {
        let silent = waiting.len() + common.answered.load(Ordering::Relaxed);
        let patience = if silent < common.clients.load(Ordering::Relaxed) {
            deadline.saturating_duration_since(Instant::now())
        } else {
            // Nobody is left who could ask, unless a client has come just now.
            Duration::ZERO
        };
        match inbox.recv_timeout(patience) {
            Ok(asked) => {
                questions += asked.questions.len();
                waiting.push(asked);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    common.answered.fetch_add(waiting.len(), Ordering::Relaxed);
    true
}

/// Asks an [`EvaluationServer`], and waits for its answers.
#[derive(Debug)]
pub struct Client<G: Game> {
    inbox: Sender<Asked<G>>,
    common: Arc<Common>,
    sees: fn(&G) -> u64,
    /// What lies in the place of questions while they are away.
    spare: Vec<Question<G>>,
}

impl<G: Game> Network<G> for Client<G> {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        const GONE: &str = "the server answers as long as it has clients";
        if questions.is_empty() {
            return;
        }
        let mut away = std::mem::take(&mut self.spare);
        away.truncate(questions.len());
        while away.len() < questions.len() {
            away.push(questions[away.len()].clone());
        }
        let swap = |away: &mut Vec<Question<G>>, questions: &mut [&mut Question<G>]| {
            away.iter_mut().zip(questions).for_each(|(away, question)| std::mem::swap(away, question));
        };
        swap(&mut away, questions);
        // The only way back is with the server: if it fails, there is nobody to wait for any more.
        let (back, answers) = channel();
        self.inbox.send(Asked { questions: away, back }).expect(GONE);
        let mut away = answers.recv().expect(GONE);
        swap(&mut away, questions);
        self.spare = away;
    }

    fn sees(&self) -> fn(&G) -> u64 {
        self.sees
    }
}

impl<G: Game> Drop for Client<G> {
    fn drop(&mut self) {
        self.common.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use afterstate_games::{ConnectFour, IndexedMoves, Side};

    fn discs(game: &ConnectFour) -> u32 {
        (game.discs(Side::First) | game.discs(Side::Second)).count_ones()
    }

    /// Answers with the number of discs, and remembers how many questions came together.
    struct Counting(Arc<Mutex<Vec<usize>>>);

    impl Network<ConnectFour> for Counting {
        fn evaluate(&mut self, questions: &mut [&mut Question<ConnectFour>]) {
            self.0.lock().unwrap().push(questions.len());
            for question in questions {
                question.answer(Value(discs(&question.game) as f32 / 100.0), |_| 0.0);
            }
        }
    }

    fn start(batch: usize, deadline: u64, networks: usize) -> (EvaluationServer<ConnectFour>, Arc<Mutex<Vec<usize>>>) {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        let settings = ServerSettings { batch, deadline, networks };
        (EvaluationServer::start(|| Counting(sizes.clone()), settings), sizes)
    }

    /// Positions with so many discs.
    fn questions(discs: std::ops::Range<u32>) -> Vec<Question<ConnectFour>> {
        let after = |discs: u32| {
            let mut game = ConnectFour::new();
            (0..discs).for_each(|disc| game.play(game.move_at(disc as usize % 7)));
            game
        };
        discs.map(|discs| Question::new(after(discs))).collect()
    }

    fn ask(client: &mut Client<ConnectFour>, questions: &mut [Question<ConnectFour>]) {
        client.evaluate(&mut questions.iter_mut().collect::<Vec<_>>());
    }

    #[test]
    fn everybody_gets_the_answers_to_what_they_asked() {
        asks_from_eight_threads(1);
        asks_from_eight_threads(3);
    }

    fn asks_from_eight_threads(networks: usize) {
        let (server, sizes) = start(3, 200, networks);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let mut client = server.client();
                scope.spawn(move || {
                    for round in 0..50 {
                        // Fewer and more than before, by turns.
                        let mut mine = questions(number..number + 1 + (round * 7 + number) % 5);
                        ask(&mut client, &mut mine);
                        for (discs, question) in (number..).zip(&mine) {
                            assert_eq!(self::discs(&question.game), discs);
                            assert_eq!(question.value.0, discs as f32 / 100.0);
                            assert_eq!(question.priors.len(), 7);
                        }
                    }
                });
            }
        });
        let sizes = sizes.lock().unwrap();
        assert!(sizes.iter().all(|&size| (1..=3).contains(&size)), "{sizes:?}");
        assert_eq!(sizes.len() as u64, server.batches());
        assert_eq!(sizes.iter().sum::<usize>() as u64, server.questions());
    }

    /// With a deadline of an hour: nothing else than that all wait can be why they are answered.
    const HOUR: u64 = 3_600_000_000;

    /// Fails, as a graphics card may.
    struct Failing;

    impl Network<ConnectFour> for Failing {
        fn evaluate(&mut self, _questions: &mut [&mut Question<ConnectFour>]) {
            panic!("the device failed");
        }
    }

    #[test]
    fn nobody_waits_for_a_server_that_failed() {
        for networks in [1, 2] {
            let server = EvaluationServer::start(|| Failing, ServerSettings { batch: 4, deadline: 100, networks });
            for _ in 0..networks + 1 {
                let mut client = server.client();
                let asked = std::thread::spawn(move || ask(&mut client, &mut questions(0..1)));
                assert!(asked.join().is_err());
            }
        }
    }

    #[test]
    fn a_batch_that_is_full_does_not_wait() {
        let (server, sizes) = start(4, HOUR, 1);
        let (mut client, _other) = (server.client(), server.client());
        ask(&mut client, &mut questions(0..4));
        ask(&mut client, &mut questions(0..10));
        assert_eq!(*sizes.lock().unwrap(), [4, 4, 4, 2]);
    }

    #[test]
    fn who_could_ask_is_waited_for_and_nobody_else() {
        waits_for_who_could_ask(1);
        waits_for_who_could_ask(2);
    }

    fn waits_for_who_could_ask(networks: usize) {
        let (server, sizes) = start(100, HOUR, networks);
        let mut clients = [server.client(), server.client()];
        std::thread::scope(|scope| {
            for client in &mut clients {
                scope.spawn(|| ask(client, &mut questions(3..5)));
            }
        });
        let [mut left, gone] = clients;
        drop(gone);
        ask(&mut left, &mut questions(0..1));
        assert_eq!(*sizes.lock().unwrap(), [4, 1]);
    }

    #[test]
    fn the_first_question_waits_no_longer_than_the_deadline() {
        let (server, sizes) = start(100, 1_000, 1);
        let (mut client, _silent) = (server.client(), server.client());
        ask(&mut client, &mut questions(0..2));
        assert_eq!(*sizes.lock().unwrap(), [2]);
    }
}
