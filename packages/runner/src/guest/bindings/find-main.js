const nothing = `The bundle exports no function. Export \`async (command, params) => result\` as default or as main.`

/**
 * The bundle's main function: what it exports itself, as `default` (also twice, as interop layers wrap it) or as `main`.
 * Throws an Error with a sentence when there is none.
 */
export function findMain(exports) {
  const inner = exports?.default
  const candidates = [exports, inner, inner?.default, exports?.main, inner?.main]
  const owners = [undefined, exports, inner, exports, inner]
  for (let at = 0; at < candidates.length; at++) {
    if (typeof candidates[at] === 'function') {
      return { main: candidates[at], owner: owners[at] }
    }
  }
  throw new Error(nothing)
}
