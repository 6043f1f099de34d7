import {
  apply,
  bindPost,
  describeError,
  GuestError,
  parseJson,
  post,
  stringifyJson,
} from './post.js'

import { settleFailure, settleResponse } from './requests.js'
import { turn } from './ticks.js'

/**
 * The guest's side of the bindings in `sandbox/host-bindings.ts`.
 * `require` is what the bundle gets; `fireTimer(id)` runs a timer.
 */
export function createGuestBindings({ require, fireTimer }) {
  let bundle
  return {
    __proto__: null,
    boot: bindPost,
    load(fn) {
      bundle = loadBundle(fn, require)
    },
    run(command, paramsJson) {
      turn(() => {
        call(bundle, command, paramsJson)
      })
    },
    event(kind, id, json, bytes) {
      turn(() => {
        if (kind === 'timer') fireTimer(id)
        else if (kind === 'response') settleResponse(id, json, bytes)
        else if (kind === 'failure') settleFailure(id, json)
      })
    },
  }
}

function loadBundle(fn, require) {
  const module = {
    exports: {},
    id: '/bundle/index.js',
    filename: '/bundle/index.js',
    path: '/bundle',
    loaded: false,
    parent: null,
    children: [],
    paths: [],
    require,
  }
  let failure
  turn(() => {
    try {
      const { exports } = module
      apply(fn, exports, [exports, require, module, module.filename, module.path])
    } catch (thrown) {
      failure = { thrown }
    }
  })
  module.loaded = true
  if (failure) throw plainError(failure.thrown)
  try {
    return findMain(module.exports)
  } catch (thrown) {
    throw plainError(thrown)
  }
}

async function call({ main, owner }, command, paramsJson) {
  let value
  try {
    value = await apply(main, owner, [command, parseJson(paramsJson)])
  } catch (thrown) {
    return fail(thrown, 'threw')
  }
  try {
    post('done', 0, stringifyJson(value) ?? 'null')
  } catch (thrown) {
    fail(thrown, 'output')
  }
}

function fail(thrown, kind) {
  const { name, message } = describeError(thrown)
  post('fail', 0, stringifyJson({ __proto__: null, name, message, kind }))
}

// What a bundle threw may be anything; the host gets an Error with two strings.
function plainError(thrown) {
  const { name, message } = describeError(thrown)
  const error = new GuestError(message)
  error.name = name
  return error
}

const nothing = `The bundle exports no function. Export \`async (command, params) => result\` as default or as main.`

/**
 * The bundle's main function: what it exports itself, as `default` (also twice, as interop layers wrap it) or as `main`.
 * Throws an Error with a sentence when there is none.
 */
function findMain(exports) {
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
