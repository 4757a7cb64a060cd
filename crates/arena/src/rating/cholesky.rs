//! The little linear algebra that Newton's method needs: a symmetric positive definite solver.

/// A square matrix, row by row.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    pub(super) size: usize,
    pub(super) cells: Vec<f64>,
}

impl Matrix {
    pub(super) fn zero(size: usize) -> Matrix {
        Matrix { size, cells: vec![0.0; size * size] }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }
}

/// The factor `L` of `A = L Lᵀ`.
pub(super) struct Cholesky(Matrix);

impl Cholesky {
    /// Factorises `a`; `None` unless it is positive definite well beyond rounding errors.
    pub(super) fn new(a: &Matrix) -> Option<Cholesky> {
        let n = a.size;
        let mut l = Matrix::zero(n);
        for i in 0..n {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| l.at(i, k) * l.at(j, k)).sum();
                let rest = a.at(i, j) - dot;
                if i == j {
                    // A pivot that has lost all but noise of its diagonal entry means a dependent row.
                    if rest.is_nan() || rest <= 1e-13 * a.at(i, i).abs() {
                        return None;
                    }
                    l.add(i, i, rest.sqrt());
                } else {
                    l.add(i, j, rest / l.at(j, j));
                }
            }
        }
        Some(Cholesky(l))
    }

    /// Solves `A x = b`.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (l, n) = (&self.0, self.0.size);
        let mut x = b.to_vec();
        for i in 0..n {
            let dot: f64 = (0..i).map(|k| l.at(i, k) * x[k]).sum();
            x[i] = (x[i] - dot) / l.at(i, i);
        }
        for i in (0..n).rev() {
            let dot: f64 = (i + 1..n).map(|k| l.at(k, i) * x[k]).sum();
            x[i] = (x[i] - dot) / l.at(i, i);
        }
        x
    }

    /// The inverse of `A`.
    pub(super) fn inverse(&self) -> Matrix {
        let n = self.0.size;
        let mut inverse = Matrix::zero(n);
        let mut unit = vec![0.0; n];
        for j in 0..n {
            unit[j] = 1.0;
            for (i, x) in self.solve(&unit).into_iter().enumerate() {
                inverse.add(i, j, x);
            }
            unit[j] = 0.0;
        }
        inverse
    }
}
