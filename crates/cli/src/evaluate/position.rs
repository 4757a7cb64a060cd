//! A position of backgammon in one of the forms in which programs exchange them.

use afterstate_games::Side;
use afterstate_games::backgammon::cube::Situation;
use afterstate_games::backgammon::ids::PositionId;
use afterstate_games::backgammon::match_id::MatchId;
use afterstate_games::backgammon::xgid::Xgid;
use afterstate_games::backgammon::{Backgammon, Dice, Phase, fibs};
use anyhow::{Context, Result, anyhow};

/// Reads a position; `dice` are thrown, whatever it says of them.
pub fn read(text: &str, dice: Option<&str>) -> Result<Xgid> {
    let text = text.trim();
    let plain = |game| Xgid { game, situation: Situation::default(), doubled: false };
    let of_id = |id: &str, dice: Option<Dice>| {
        let position: PositionId = id.parse()?;
        let board = position.board(Side::First).ok_or_else(|| anyhow!("position ID '{id}': no such position"))?;
        anyhow::Ok(Backgammon::at(board, Side::First, dice))
    };
    let read = if text.starts_with("board:") {
        plain(fibs::read(text)?)
    } else if text.starts_with("XGID=") {
        text.parse::<Xgid>()?
    } else {
        match text.split_once(':') {
            None => plain(of_id(text, None)?),
            // GNU Backgammon's two IDs: the second says which dice were thrown, and all of cube and match.
            Some((position, of_match)) if position.len() == 14 => {
                let id: MatchId = of_match.parse()?;
                let game = of_id(position, id.dice)?;
                Xgid { game, situation: id.situation(id.on_roll)?, doubled: id.doubled }
            }
            Some(_) => text.parse::<Xgid>()?,
        }
    };
    let Some(dice) = dice else { return Ok(read) };
    let numbers = match dice.as_bytes() {
        [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Dice::new(one - b'0', other - b'0'),
        _ => None,
    };
    let dice = numbers.with_context(|| format!("--dice '{dice}': expected two numbers from 1 to 6, such as 31"))?;
    let side = match read.game.phase() {
        Phase::ToRoll(side) | Phase::ToPlay(side, _) => side,
        Phase::Opening | Phase::Over(_) => Side::First,
    };
    Ok(Xgid { game: Backgammon::at(*read.game.board(), side, Some(dice)), doubled: false, ..read })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_write_a_position_are_read() {
        let expected = read("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", None).unwrap().game;
        assert_eq!(read("4HPwATDgc/ABMA", Some("13")).unwrap().game, expected);
        assert_eq!(read(&fibs::write(&expected, "x"), None).unwrap().game, expected);
        // Both say the same of cube and score, seen by who is on roll.
        let of_match = read("4HPwATDgc/ABMA:UQngADAAEAAE", None).unwrap();
        assert_eq!(of_match, read("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:7:10", None).unwrap());
        for (text, dice, part) in [
            ("4HPwATDgc/ABM", None, "position ID"),
            ("board:1:2", None, "FIBS board"),
            ("XGID=-b", None, "XGID"),
            ("XGID=-b----E-C---eE---c-e----B-", None, "XGID"),
            ("4HPwATDgc/ABMA", Some("37"), "--dice '37'"),
            ("", None, "position ID"),
        ] {
            let message = format!("{:#}", read(text, dice).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{message}");
        }
    }
}
