//! What a weight of local shapes stands for, in text.

use super::LocalShapes;
use super::sharing::Kind;
use afterstate_games::go::Point;

impl LocalShapes {
    /// The set, the place and the rows of a weight's canonical example, top row first: `3x3-LD A1 .X./OX./...`
    /// (`X` black, `O` white). `none` if there is no such weight.
    pub fn describe_weight(&self, index: usize) -> String {
        let Some(set) =
            self.table.sets.iter().rev().find(|set| set.offset <= index).filter(|set| index < set.offset + set.len)
        else {
            return "none".to_string();
        };
        let (ordinal, shape) = set.example(index - set.offset);
        let k = set.k;
        let size = self.windows.board_size();
        let across = size - k + 1;
        let rows: Vec<String> = (0..k)
            .rev()
            .map(|row| {
                (0..k).map(|column| ['.', 'X', 'O'][shape / 3usize.pow((row * k + column) as u32) % 3]).collect()
            })
            .collect();
        let place = match set.kind {
            Kind::Independent => String::new(),
            _ => format!("{} ", Point::at(ordinal % across, ordinal / across, size).label(size)),
        };
        format!("{k}x{k}-{} {place}{}", set.kind.label(), rows.join("/"))
    }
}
