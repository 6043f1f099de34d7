import { Socket } from 'node:net'
import { encodeFrame, FrameReader, HOST_FRAME_LIMITS } from './frames.ts'
import type { ChildMessage, HostMessage } from './messages.ts'

/** The child's end of the pipe to the service. */
export interface Channel {
  send(message: ChildMessage): void
}

/** Opens the pipe that the child inherited as descriptor 3. The process exits when the pipe closes. */
export function openChannel(onMessage: (message: HostMessage) => void): Channel {
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true })
  // The host is trusted, so its frames are not validated.
  const reader = new FrameReader(HOST_FRAME_LIMITS, (message) => onMessage(message as HostMessage))
  socket.on('data', (chunk) => reader.push(chunk))
  socket.on('error', () => process.exit())
  socket.on('close', () => process.exit())
  return {
    send(message) {
      if (!socket.writable) return
      socket.cork()
      for (const part of encodeFrame(toFrame(message))) socket.write(part)
      socket.uncork()
    },
  }
}

const CHANNEL_FD = 3

/** A result is sent as the body of its frame: as a string in the header, its JSON would be escaped and parsed twice. */
function toFrame(message: ChildMessage): object {
  if (message.type !== 'end' || !message.outcome.ok) return message
  return { ...message, outcome: { ok: true }, body: Buffer.from(message.outcome.json) }
}
