//! All families of terms, in the order of their numbers.

use super::family::Axis::{
    Count, EdgeDistance, File, Men, OutpostSquare, PawnRank, PawnSquare, Piece, PieceOrKing, Square,
};
use super::family::{Family, Group};

/// Each family's numbers begin where those of the one before end.
macro_rules! families {
    ($($group:ident { $($name:ident = $text:literal [$($axis:expr),*];)* })*) => {
        families! { @begin $($($group $name $text [$($axis),*];)*)* }
        /// In the order of their numbers.
        pub(super) const FAMILIES: &[Family] = &[$($($name),*),*];
    };
    (@begin $group:ident $name:ident $text:literal [$($axis:expr),*]; $($rest:tt)*) => {
        pub(super) const $name: Family = Family::first(Group::$group, $text, &[$($axis),*]);
        families! { @after $name $($rest)* }
    };
    (@after $last:ident $group:ident $name:ident $text:literal [$($axis:expr),*]; $($rest:tt)*) => {
        pub(super) const $name: Family = $last.then(Group::$group, $text, &[$($axis),*]);
        families! { @after $name $($rest)* }
    };
    (@after $last:ident) => {};
}

families! {
    Material {
        MATERIAL = "each" [Men(5)];
        LATE_MATERIAL = "each, once with half the pieces gone and twice with most" [Men(5)];
        BISHOP_PAIR = "two bishops" [];
        KNIGHT_WITH_PAWNS = "knight, by own pawns" [Count(9)];
        ROOK_WITH_PAWNS = "rook, by own pawns" [Count(9)];
        PAWN_COUNT = "pawns" [Count(9)];
    }
    PieceSquare {
        PAWN_SQUARE = "pawn" [PawnSquare];
        PIECE_SQUARE = "piece" [PieceOrKing, Square];
        LATE_PAWN_SQUARE = "pawn, once with half the pieces gone and twice with most" [PawnSquare];
        LATE_PIECE_SQUARE = "piece, once with half the pieces gone and twice with most" [PieceOrKing, Square];
    }
    PawnStructure {
        ISOLATED = "isolated" [PawnSquare];
        EXPOSED_ISOLATED = "isolated on a half-open file" [File];
        DOUBLED = "doubled" [File];
        BACKWARD = "backward" [PawnSquare];
        EXPOSED_BACKWARD = "backward on a half-open file" [File];
        PHALANX = "beside another" [PawnSquare];
        PROTECTED = "protected by another" [PawnSquare];
        LEVER = "attacks a pawn" [File];
        RAM = "stopped by a pawn" [File];
        ISLANDS = "islands" [Count(5)];
        CANDIDATE = "candidate" [PawnRank];
        PASSED = "passed" [PawnSquare];
        PROTECTED_PASSED = "passed and protected by a pawn" [PawnRank];
        CONNECTED_PASSED = "passed with another on the next file" [PawnRank];
        BLOCKED_PASSED = "passed and blocked by a man" [PawnRank];
        FREE_PASSED = "passed, and the next square neither occupied nor attacked" [PawnRank];
        OWN_KING_TO_PASSED = "passed, own king's distance to the next square" [PawnRank, Count(8)];
        THEIR_KING_TO_PASSED = "passed, opposing king's distance to the next square" [PawnRank, Count(8)];
        ROOK_BEHIND_PASSED = "passed, own rook behind" [PawnRank];
        THEIR_ROOK_BEHIND_PASSED = "passed, opposing rook behind" [PawnRank];
        UNSTOPPABLE = "passed, and the opposing king alone is too far away" [PawnRank];
        PAWNS_OF_BISHOPS_COLOUR = "own pawns on the squares of a bishop" [Count(9)];
    }
    Mobility {
        KNIGHT_REACH = "knight reaches" [Count(9)];
        BISHOP_REACH = "bishop reaches" [Count(14)];
        ROOK_REACH = "rook reaches" [Count(15)];
        QUEEN_REACH = "queen reaches" [Count(28)];
        SAFE_KNIGHT_REACH = "knight reaches where no pawn attacks" [Count(9)];
        SAFE_BISHOP_REACH = "bishop reaches where no pawn attacks" [Count(14)];
        SAFE_ROOK_REACH = "rook reaches where no pawn attacks" [Count(15)];
        SAFE_QUEEN_REACH = "queen reaches where no pawn attacks" [Count(28)];
        KNIGHT_OUTPOST = "knight protected by a pawn that no pawn can attack" [OutpostSquare];
        BISHOP_OUTPOST = "bishop protected by a pawn that no pawn can attack" [OutpostSquare];
        ROOK_ON_OPEN_FILE = "rook on an open file" [File];
        ROOK_ON_HALF_OPEN_FILE = "rook on a half-open file" [File];
        ROOK_ON_SEVENTH = "rook on the seventh rank" [];
        ROOKS_CONNECTED = "rooks that protect each other" [];
        TRAPPED_ROOK = "rook shut in by its king" [];
        TARGET_OF_PAWN = "attacks with a pawn" [Men(5)];
        TARGET_OF_PIECE = "attacks, attacker and target" [Piece, Men(6)];
        TARGET_OF_KING = "attacks with the king what is not protected" [Men(5)];
        HANGING = "attacked and not protected" [Men(5)];
        PINNED = "pinned to the king" [Men(5)];
        PROTECTED_BY_PAWN = "protected by a pawn" [Piece];
        CENTRE_CONTROL = "squares of the centre attacked" [Count(17)];
        SPACE = "safe squares behind the own pawns" [Count(13)];
    }
    KingSafety {
        SHIELD = "own pawn before the king: king's file, file beside or of it, ranks between" [EdgeDistance, Count(3), Count(8)];
        STORM = "opposing pawn before the king: king's file, file beside or of it, ranks between" [EdgeDistance, Count(3), Count(8)];
        MAY_CASTLE_SHORT = "may castle short" [];
        MAY_CASTLE_LONG = "may castle long" [];
        OPEN_FILE_TO_KING = "king on an open file" [EdgeDistance];
        HALF_OPEN_FILE_TO_KING = "king on a file without own pawns" [EdgeDistance];
        ZONE_ATTACK = "squares around the opposing king attacked by one" [Piece, Count(9)];
        ZONE_ATTACKERS = "pieces that attack squares around the opposing king" [Count(8)];
        ZONE_ATTACKERS_WITH_QUEEN = "the same beside a queen" [Count(8)];
        WEAK_ZONE = "squares around the opposing king attacked and protected by it alone" [Count(9)];
        ZONE_PROTECTED = "squares around the own king protected by pieces and pawns" [Count(9)];
        ZONE_PAWN_ATTACK = "squares around the opposing king attacked by pawns" [Count(4)];
        SAFE_CHECK = "safe checks" [Piece, Count(4)];
        UNSAFE_CHECK = "other checks" [Piece, Count(4)];
        TROPISM = "distance to the opposing king" [Piece, Count(8)];
        CLOSENESS = "distance to the own king" [Piece, Count(8)];
        KING_REACH = "king's safe squares" [Count(9)];
        LINES_TO_KING = "squares from which a queen would give check" [Count(28)];
        BACK_RANK = "king shut in on the first rank while rooks or queens are left" [];
        KING_TO_OWN_PAWNS = "king's distance to the nearest own pawn, few pieces left" [Count(8)];
        KING_TO_THEIR_PAWNS = "king's distance to the nearest opposing pawn, few pieces left" [Count(8)];
    }
    KnightCap {
        HUNG_TO_MOVE = "attacked, not protected, and the other side to move" [Men(5)];
        HUNG_TWICE = "two or more men attacked and not protected" [];
        XRAY = "attacks through another man" [Piece, Men(6)];
        OPENING_SQUARE = "man on a square in the opening" [Men(6), Square];
        MATING_SQUARE = "king on a square when only the other side has pieces" [Square];
        LONE_KING_DISTANCE = "distance of the kings when the other side has only its king" [Count(8)];
    }
}

/// How many terms Meep's five groups have.
pub(super) const MEEP: usize = HUNG_TO_MOVE.at(0);
