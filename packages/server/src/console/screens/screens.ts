import type { Screen } from '../screen.ts'
import { connectionScreen } from './connection.ts'
import { connectionsScreen } from './connections.ts'
import { overviewScreen } from './overview.ts'

/** Every screen of the console. */
export const SCREENS: readonly Screen[] = [overviewScreen, connectionsScreen, connectionScreen]
