import { totalmem } from 'node:os'

/** How many calls may be inside the children at a time. A waiting call holds 10 to 16 MB there. */
export function placesFor(waitingMemoryMb = defaultMemoryMb()): number {
  return Math.max(LEAST_PLACES, Math.floor(waitingMemoryMb / MB_PER_CALL))
}

function defaultMemoryMb(): number {
  const limit = process.constrainedMemory()
  const machine = totalmem()
  const bytes = limit > 0 && limit < machine ? limit : machine
  return Math.min(768, bytes / 8 / 1024 / 1024)
}

const MB_PER_CALL = 16
const LEAST_PLACES = 12
