/**
 * Whether a text contains another one, in time linear in both (Knuth, Morris, Pratt). `String.includes` takes quadratic
 * time for adversarial texts.
 */
export function contains(text: string, needle: string): boolean {
  if (needle.length > text.length) return false
  if (!text.includes(needle.slice(0, PREFILTER_LENGTH))) return false
  if (needle.length <= PREFILTER_LENGTH) return true
  const borders = computeBorders(needle)
  let matched = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (needle.charCodeAt(matched) === unit) matched++
    if (matched === needle.length) return true
  }
  return false
}

/** For a prefix this short, the product is linear, too. */
const PREFILTER_LENGTH = 16

/** For each prefix of a text, the length of the longest proper prefix that it ends with. */
function computeBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (length > 0 && text.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (text.charCodeAt(length) === unit) length++
    borders[at] = length
  }
  return borders
}
