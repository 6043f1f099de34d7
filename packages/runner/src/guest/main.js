import './install-early.js'
import './install.js'
import { createGuestBindings } from './bindings/bindings.js'
import { require } from './node/require.js'
import { fireTimer } from './node/timers.js'

globalThis.__bindings = createGuestBindings({ require, fireTimer })
delete globalThis.Atomics
