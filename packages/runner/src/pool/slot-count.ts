import { totalmem } from 'node:os'

/** How many calls may be inside the children at a time. A waiting call uses 10 to 16 MB there. */
export function slotCount(waitingMemoryMb = defaultCallMemoryMb()): number {
  return Math.max(MIN_SLOTS, Math.floor(waitingMemoryMb / MB_PER_CALL))
}

function defaultCallMemoryMb(): number {
  const limit = process.constrainedMemory()
  const machine = totalmem()
  const bytes = limit > 0 && limit < machine ? limit : machine
  return Math.min(768, bytes / 8 / 1024 / 1024)
}

const MB_PER_CALL = 16
const MIN_SLOTS = 12
