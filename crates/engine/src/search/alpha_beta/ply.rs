//! What one ply of the tree holds, and in what order its moves are searched.

/// What one ply of the tree needs, kept so that nothing is allocated while searching.
pub(super) struct Ply<M> {
    pub(super) moves: Vec<M>,
    /// Of each move's afterstate, what the value function says of it.
    pub(super) raw: Vec<f32>,
    /// The same as the player to move sees it; sure results included.
    pub(super) seen: Vec<f32>,
    /// In what order to search: larger first.
    order: Vec<f32>,
    /// Moves that lately refuted a position at this ply.
    killers: [Option<M>; 2],
    /// The best line from here.
    pub(super) line: Vec<M>,
    /// The numbers of moves that other threads were looking at, and that come last therefore.
    pub(super) put_off: Vec<usize>,
}

/// Where killers stand in the order: above every heuristic score, below sure wins.
const KILLER: f32 = 5_000_000.0;

impl<M> Default for Ply<M> {
    fn default() -> Self {
        let (raw, seen, order) = (Vec::new(), Vec::new(), Vec::new());
        Ply { moves: Vec::new(), raw, seen, order, killers: [None, None], line: Vec::new(), put_off: Vec::new() }
    }
}

impl<M: Copy + Eq> Ply<M> {
    /// The best afterstate, and the move to it.
    #[inline]
    pub(super) fn last_ply(&mut self) -> (f32, M) {
        let best = self.seen.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mv = self.moves[self.seen.iter().position(|&seen| seen == best).unwrap_or(0)];
        self.line.push(mv);
        (best, mv)
    }

    /// Says in what order to search: `hint`, sure wins, killers, the others by their looks and by `merit`, which is
    /// added to them.
    #[inline]
    pub(super) fn arrange(&mut self, hint: Option<M>, merit: impl Fn(M) -> f32) {
        self.order.clear();
        self.order.extend(self.moves.iter().zip(&self.seen).map(|(&mv, &seen)| match Some(mv) {
            some if some == hint => f32::INFINITY,
            some if some == self.killers[0] => seen.max(KILLER),
            some if some == self.killers[1] => seen.max(KILLER / 2.0),
            _ => seen + merit(mv),
        }));
    }

    /// The number of the move to look at next, after so many: those put off follow the others.
    #[inline]
    pub(super) fn next(&mut self, looked_at: usize) -> Option<usize> {
        if looked_at >= self.moves.len() {
            return self.put_off.get(looked_at - self.moves.len()).copied();
        }
        self.bring_forward(looked_at);
        Some(looked_at)
    }

    /// Exchanges move number `i` and the most promising one from there on.
    #[inline]
    fn bring_forward(&mut self, i: usize) {
        let mut best = i;
        for j in i + 1..self.order.len() {
            if self.order[j] > self.order[best] {
                best = j;
            }
        }
        self.moves.swap(i, best);
        self.seen.swap(i, best);
        self.order.swap(i, best);
    }

    /// Remembers a move that refuted a position.
    #[inline]
    pub(super) fn refuted_by(&mut self, mv: M) {
        if self.killers[0] != Some(mv) {
            self.killers = [Some(mv), self.killers[0]];
        }
    }

    /// Forgets them.
    pub(super) fn forget_killers(&mut self) {
        self.killers = [None; 2];
    }
}
