//! The smallest GTP engine: random moves. Point any Go program at it, for instance
//! `gogui-twogtp`, or type commands by hand.
//!
//! It also shows the two hooks of analysis: here the "value" of a position is Black's share of the stones.

use afterstate_arena::RandomPlayer;
use afterstate_engine::{Value, ValueFunction};
use afterstate_games::{Side, go::Go};
use afterstate_protocols::gtp::{Session, ValueInsight};
use std::io::{BufReader, stdin, stdout};
use std::sync::Arc;

struct ShareOfStones;

impl ValueFunction<Go> for ShareOfStones {
    fn value(&self, game: &Go) -> Value {
        let stones = |side| game.board().stone_count(side) as f32;
        let (black, white) = (stones(Side::First), stones(Side::Second));
        Value((1.0 + black) / (2.0 + black + white))
    }
}

fn main() -> std::io::Result<()> {
    Session::new("random", Box::new(RandomPlayer::default()))
        .with_insight(Arc::new(ValueInsight(Arc::new(ShareOfStones))))
        .run(BufReader::new(stdin()), stdout())
}
