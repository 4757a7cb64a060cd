//! [`EvaluationServer`]: one network that answers many threads, together.
//!
//! ```text
//! repeat:  wait for a question
//!          wait for more, until the batch is full, everybody who could ask has asked, or the first has waited for too long
//!          answer them
//! ```
//!
//! A processor's network is best off with a copy for each thread; what needs large batches, or is there only once, is best off here.

use super::network::{Network, Question};
use afterstate_games::Game;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// When a server answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ServerSettings {
    /// Positions that are answered together, at most.
    pub batch: usize,
    /// How long the first question of a batch waits for others, in microseconds.
    pub deadline: u64,
}

impl Default for ServerSettings {
    fn default() -> Self {
        ServerSettings { batch: 256, deadline: 1_000 }
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
    batches: AtomicU64,
    questions: AtomicU64,
}

/// A thread with a network. It ends with the server and the last of its [clients](Self::client).
///
/// ```
/// use afterstate_engine::zero::{EvaluationServer, Network, Question, ServerSettings, Uniform};
/// use afterstate_games::ConnectFour;
/// let server = EvaluationServer::start(Uniform, ServerSettings::default());
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
}

impl<G: Game> EvaluationServer<G> {
    /// Starts a thread that answers with `network`.
    pub fn start(network: impl Network<G> + 'static, settings: ServerSettings) -> Self {
        let (inbox, asked) = channel();
        let common = Arc::new(Common::default());
        let of_thread = common.clone();
        std::thread::spawn(move || serve(network, settings, &asked, &of_thread));
        EvaluationServer { inbox, common }
    }

    /// Somebody who asks. The server answers without further waiting when all clients wait.
    pub fn client(&self) -> Client<G> {
        self.common.clients.fetch_add(1, Ordering::Relaxed);
        let (back, answers) = channel();
        Client { inbox: self.inbox.clone(), back, answers, common: self.common.clone(), spare: Vec::new() }
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

fn serve<G: Game>(mut network: impl Network<G>, settings: ServerSettings, inbox: &Receiver<Asked<G>>, common: &Common) {
    let batch = settings.batch.max(1);
    let mut waiting: Vec<Asked<G>> = Vec::new();
    while let Ok(first) = inbox.recv() {
        let deadline = Instant::now() + Duration::from_micros(settings.deadline);
        let mut questions = first.questions.len();
        waiting.push(first);
        while questions < batch {
            let patience = if waiting.len() < common.clients.load(Ordering::Relaxed) {
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
        let mut all: Vec<&mut Question<G>> = waiting.iter_mut().flat_map(|asked| &mut asked.questions).collect();
        for part in all.chunks_mut(batch) {
            network.evaluate(part);
            common.batches.fetch_add(1, Ordering::Relaxed);
        }
        common.questions.fetch_add(questions as u64, Ordering::Relaxed);
        for Asked { questions, back } in waiting.drain(..) {
            // Who is gone needs no answer.
            let _ = back.send(questions);
        }
    }
}

/// Asks an [`EvaluationServer`], and waits for its answers.
#[derive(Debug)]
pub struct Client<G: Game> {
    inbox: Sender<Asked<G>>,
    back: Sender<Vec<Question<G>>>,
    answers: Receiver<Vec<Question<G>>>,
    common: Arc<Common>,
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
        self.inbox.send(Asked { questions: away, back: self.back.clone() }).expect(GONE);
        let mut away = self.answers.recv().expect(GONE);
        swap(&mut away, questions);
        self.spare = away;
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
    use std::sync::Mutex;

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

    fn start(batch: usize, deadline: u64) -> (EvaluationServer<ConnectFour>, Arc<Mutex<Vec<usize>>>) {
        let sizes = Arc::new(Mutex::new(Vec::new()));
        (EvaluationServer::start(Counting(sizes.clone()), ServerSettings { batch, deadline }), sizes)
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
        let (server, sizes) = start(3, 200);
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

    #[test]
    fn a_batch_that_is_full_does_not_wait() {
        let (server, sizes) = start(4, HOUR);
        let (mut client, _other) = (server.client(), server.client());
        ask(&mut client, &mut questions(0..4));
        ask(&mut client, &mut questions(0..10));
        assert_eq!(*sizes.lock().unwrap(), [4, 4, 4, 2]);
    }

    #[test]
    fn who_could_ask_is_waited_for_and_nobody_else() {
        let (server, sizes) = start(100, HOUR);
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
        let (server, sizes) = start(100, 1_000);
        let (mut client, _silent) = (server.client(), server.client());
        ask(&mut client, &mut questions(0..2));
        assert_eq!(*sizes.lock().unwrap(), [2]);
    }
}
