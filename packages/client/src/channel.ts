import { type FrameMessages, type HostMessages, isMessage } from './messages.ts'

export interface Channel {
  send<Type extends keyof HostMessages>(type: Type, payload: HostMessages[Type]): void
  stop(): void
}

type MessageHandlers = {
  readonly [Type in keyof FrameMessages]: (payload: FrameMessages[Type]) => void
}

/**
 * Exchanges messages with one frame: accepts only messages of its window, its origin and its session, and sends only to
 * that window and origin.
 */
export function openChannel(
  iframe: HTMLIFrameElement,
  { origin, session }: { readonly origin: string; readonly session: string },
  handlers: Partial<MessageHandlers>,
): Channel {
  const listen = ({ data, origin: eventOrigin, source }: MessageEvent<unknown>) => {
    if (eventOrigin !== origin || source === null || source !== iframe.contentWindow) return
    if (!isMessage(data, session) || !Object.hasOwn(handlers, data.type)) return
    const handler = handlers[data.type as keyof MessageHandlers] as (payload: unknown) => void
    handler(data.payload)
  }
  addEventListener('message', listen)
  return {
    send: (type, payload) =>
      iframe.contentWindow?.postMessage(
        { source: 'linchpin', v: 1, session, type, payload },
        origin,
      ),
    stop: () => removeEventListener('message', listen),
  }
}
