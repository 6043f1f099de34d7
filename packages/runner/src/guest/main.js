import './install-early.js'
import './install.js'
import { createDoors } from './doors/doors.js'
import { require } from './node/require.js'
import { fireTimer } from './node/timers.js'

globalThis.__doors = createDoors({ require, fireTimer })
