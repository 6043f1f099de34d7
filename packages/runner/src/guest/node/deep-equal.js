import assert from 'assert'

/** `util.isDeepStrictEqual`. */
export function isDeepStrictEqual(first, second) {
  try {
    assert.deepStrictEqual(first, second)
    return true
  } catch {
    return false
  }
}
