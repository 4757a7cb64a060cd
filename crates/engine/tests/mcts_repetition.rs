//! Games in which a position that comes again too often is a draw: inside the tree as on the board.

use afterstate_engine::search::tree::{NodeIndex, ROOT, Tree};
use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Proof, Situation, Uct};
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::{Deterministic, Game, IndexedMoves, Outcome, Record, Repetition, Side, Turn};
use afterstate_games::{UniformPlayout, stream};

/// Each side turns a switch or gives up. Whoever gives up loses; turning the switch goes on until the position has been
/// there three times, so neither side can do better than a draw.
#[derive(Clone, Debug, PartialEq)]
struct Switch {
    on: bool,
    side: Side,
    winner: Option<Side>,
}

const TURN: u8 = 0;
const GIVE_UP: u8 = 1;

impl Switch {
    fn new() -> Self {
        Switch { on: false, side: Side::First, winner: None }
    }
}

impl Game for Switch {
    type Move = u8;
    const REPETITION: Repetition = Repetition::DrawAt(3);

    fn turn(&self) -> Turn {
        self.winner.map_or(Turn::Player(self.side), |winner| Turn::Over(Outcome::win(winner)))
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.clear();
        if self.winner.is_none() {
            moves.extend([TURN, GIVE_UP]);
        }
    }

    fn play(&mut self, mv: u8) {
        match mv {
            TURN => self.on = !self.on,
            _ => self.winner = Some(self.side.other()),
        }
        self.side = self.side.other();
    }

    fn key(&self) -> u64 {
        u64::from(self.on) | (self.side.index() as u64) << 1 | u64::from(self.winner.is_some()) << 2
    }
}

impl Deterministic for Switch {}

impl IndexedMoves for Switch {
    fn move_index(&self, mv: u8) -> usize {
        usize::from(mv)
    }

    fn move_at(&self, index: usize) -> u8 {
        index as u8
    }

    fn index_count(&self) -> usize {
        2
    }
}

type Searching = Mcts<Switch, Uct, PlayOut<UniformPlayout<Switch>>>;

fn search(solver: bool, threads: u32) -> Searching {
    let settings = MctsSettings {
        simulations: 2000,
        memory_mib: 1,
        early_stop: false,
        solver,
        threads,
        ..MctsSettings::default()
    };
    Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings)
}

/// How many positions of the tree know their moves.
fn expanded(tree: &Tree, node: NodeIndex) -> usize {
    tree.children(node).map_or(0, |children| 1 + children.map(|child| expanded(tree, child)).sum::<usize>())
}

#[test]
fn going_on_for_ever_is_proved_a_draw() {
    let mut search = search(true, 1);
    let decision = search.search(&Switch::new(), &Budget::default(), &mut stream(1, 0));
    assert_eq!((decision.best, decision.value), (Some(TURN), Some(Value::EVEN)));
    let tree = search.tree().unwrap();
    assert_eq!(tree.node(ROOT).proof(), Proof::Draw);
    // The first position comes for the third time after four turns of the switch.
    assert_eq!(expanded(tree, ROOT), 4);
    assert!(decision.effort < 200, "{}", decision.effort);
}

#[test]
fn without_proofs_the_tree_ends_there_all_the_same() {
    for threads in [1, 2] {
        let mut search = search(false, threads);
        let decision = search.search(&Switch::new(), &Budget::default(), &mut stream(1, 0));
        let tree = search.tree().unwrap();
        assert_eq!((decision.best, decision.effort, expanded(tree, ROOT)), (Some(TURN), 2000, 4));
        assert_eq!((tree.node(ROOT).proof(), tree.node(ROOT).visits()), (Proof::Open, 2000));
    }
}

#[test]
fn what_was_on_the_board_before_the_search_counts() {
    let mut record = Record::new(Switch::new());
    for _ in 0..3 {
        record.play(TURN);
    }
    // The first position has been there twice, and the next turn of the switch brings it back.
    let mut moves = Vec::new();
    record.legal_moves(&mut moves);
    let keys = record.repetition_keys();
    // Whether the present position is part of the history or not makes no difference.
    for history in [keys, &keys[..3]] {
        let mut search = search(true, 1);
        let situation = Situation { history, ..Situation::of(&record, &moves) };
        let decision = search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), None);
        assert_eq!((decision.best, decision.value), (Some(TURN), Some(Value::EVEN)));
        assert_eq!(expanded(search.tree().unwrap(), ROOT), 1);
    }
    record.play(TURN);
    assert_eq!(record.turn(), Turn::Over(Outcome::DRAW));
}

#[test]
fn a_tree_that_is_kept_still_knows() {
    let (mut search, mut record) = (search(true, 1), Record::new(Switch::new()));
    let mut moves = Vec::new();
    while !matches!(record.turn(), Turn::Over(_)) {
        record.legal_moves(&mut moves);
        let situation = Situation::of(&record, &moves);
        let decision = search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), None);
        assert_eq!((decision.best, decision.value), (Some(TURN), Some(Value::EVEN)));
        record.play(TURN);
        search.advance(TURN, record.position());
    }
    assert_eq!(record.moves().len(), 4);
}
