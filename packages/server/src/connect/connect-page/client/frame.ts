import { createFrameBridge, postToHost } from './host.ts'
import { startPage } from './main.ts'

/** Script of the connect page in a frame of a host page. */
startPage({ createFrameBridge, postToHost })
