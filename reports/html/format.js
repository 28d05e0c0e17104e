// Numbers and statuses as people read them.

export const RED = new Set(["fail", "expired", "not-found", "launch-failed", "build-failed", "died", "miss", "blind", "limit", "invalid", "unfinished"]);
const QUIET = new Set(["not-run", "excused", "known", "green"]);

// The tone of a status, for its colour; the word itself always stands beside it.
export function toneOf(status) {
  return RED.has(status) ? "bad" : QUIET.has(status) ? "quiet" : "good";
}

// A number of the log: JSON has no infinities and no NaN, which are strings there.
export function toNumber(value) {
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return value === "nan" ? NaN : value;
}

// A value of an output, by as many digits as tell it from its neighbours in f32.
export function value9(value) {
  const number = toNumber(value ?? 0);
  return Number.isFinite(number) ? String(Number(number.toPrecision(9))) : figure(value);
}

export function figure(value) {
  const number = toNumber(value);
  if (number === undefined || number === null) return "";
  if (Number.isInteger(number)) return String(number);
  if (Math.abs(number) < 1e-4) return Number(number.toPrecision(4)).toExponential();
  return Number.isFinite(number) ? Number(number.toPrecision(4)).toString() : String(number).replace("Infinity", "inf");
}

export function seconds(ns) {
  if (!ns) return "";
  const ms = ns / 1e6;
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

// The bins of ratios to the bound, by powers of two: 0, then up to 2^-k … 1, then over the bound, the last one infinite.
export function binLabels(nBins, boundBin) {
  const label = (bin) => {
    if (bin === 0) return "0";
    if (bin === nBins - 1) return "inf";
    const power = bin - boundBin;
    if (bin === nBins - 2) return `>${2 ** (power - 1)}`;
    return power < 0 ? `1/${2 ** -power}` : String(2 ** power);
  };
  return Array.from({ length: nBins }, (_, bin) => label(bin));
}
