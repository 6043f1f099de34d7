import { type FrameMessages, type HostMessages } from './messages.js';
export interface Channel {
    send<Type extends keyof HostMessages>(type: Type, payload: HostMessages[Type]): void;
    stop(): void;
}
type MessageHandlers = {
    readonly [Type in keyof FrameMessages]: (payload: FrameMessages[Type]) => void;
};
/**
 * Exchanges messages with one frame: accepts only messages of its window, its origin and its session, and sends only to
 * that window and origin.
 */
export declare function openChannel(iframe: HTMLIFrameElement, { origin, session }: {
    readonly origin: string;
    readonly session: string;
}, handlers: Partial<MessageHandlers>): Channel;
export {};
