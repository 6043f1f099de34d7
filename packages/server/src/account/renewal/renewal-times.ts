/** The shortest life that a token is handed out with, where its provider gives it more. */
export const LEAST_LIFE_MS = 60_000

/**
 * When to renew in the background: after 80 % of the life, give or take 10 %, so that tokens that were issued together
 * are not renewed together; and a minute before the end where the life allows. Of an unknown end, as if it were in an
 * hour: some providers never tell, and let tokens end all the same.
 */
export function renewTime(
  now: number,
  expiresAt: number | null,
  random: () => number = Math.random,
): number {
  const end = expiresAt ?? now + AN_HOUR
  const life = Math.max(0, end - now)
  const early = now + life * 0.8 * (0.9 + 0.2 * random())
  const latest = life >= 2 * LEAST_LIFE_MS ? end - LEAST_LIFE_MS : end
  return Math.floor(Math.min(early, latest))
}

/** The wait after this many failures in a row: 30 s, doubled up to an hour, give or take a fifth; longer when asked. */
export function backOffMs(
  failures: number,
  askedMs = 0,
  random: () => number = Math.random,
): number {
  const wait = Math.min(30_000 * 2 ** Math.min(failures - 1, 10), AN_HOUR)
  return Math.max(Math.floor(wait * (0.8 + 0.4 * random())), Math.min(askedMs, A_DAY))
}

/** The wait where only the operator can help. */
export function operatorWaitMs(random: () => number = Math.random): number {
  return Math.floor(AN_HOUR / 4 + (AN_HOUR / 4) * random())
}

/** Between two rounds in the background, give or take a quarter: nodes that started together do not stay in step. */
export function roundWaitMs(everyMs: number, random: () => number = Math.random): number {
  return everyMs * (0.75 + 0.5 * random())
}

const AN_HOUR = 3_600_000
const A_DAY = 24 * AN_HOUR

/** The longest wait that is ever written. */
export const LONGEST_WAIT_MS = A_DAY
