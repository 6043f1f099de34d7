import { Socket } from 'node:net'
import { encodeFrame, FrameReader, HOST_FRAME_LIMITS } from './frames.ts'
import type { ChildMessage, HostMessage } from './messages.ts'

/** The child's end of the pipe to the service. */
export interface Channel {
  /** Sends a message at the end of this turn of the event loop, together with the others. */
  send(message: ChildMessage): void
  /** Sends a message, and those that wait for the end of the turn, before it returns. */
  sendNow(message: ChildMessage): void
}

/** Opens the pipe that the child inherited as descriptor 3. The process exits when the pipe closes. */
export function openChannel(onMessage: (message: HostMessage) => void): Channel {
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true })
  // The host is trusted, so its frames are not validated.
  const reader = new FrameReader(HOST_FRAME_LIMITS, (message) => onMessage(message as HostMessage))
  socket.on('data', (chunk) => reader.push(chunk))
  socket.on('error', () => process.exit())
  socket.on('close', () => process.exit())
  let isCorked = false
  const write = (message: ChildMessage) => {
    if (!isCorked) socket.cork()
    isCorked = true
    for (const part of encodeFrame(toFrame(message))) socket.write(part)
  }
  const flush = () => {
    if (isCorked) socket.uncork()
    isCorked = false
  }
  return {
    send(message) {
      if (!socket.writable) return
      if (!isCorked) setImmediate(flush)
      write(message)
    },
    sendNow(message) {
      if (!socket.writable) return
      write(message)
      flush()
    },
  }
}

const CHANNEL_FD = 3

/** A result is sent as the body of its frame: as a string in the header, its JSON would be escaped and parsed twice. */
function toFrame(message: ChildMessage): object {
  if (message.type !== 'end' || !message.outcome.ok) return message
  return { ...message, outcome: { ok: true }, body: Buffer.from(message.outcome.json) }
}
