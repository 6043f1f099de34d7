import type { HostTexts } from './host-texts.js';
import type { LinkFailure } from './messages.js';
interface LoadWatchOptions {
    readonly iframe: HTMLIFrameElement;
    readonly url: URL;
    readonly session: string;
    readonly texts: HostTexts;
    readonly onFailure: (failure: LinkFailure) => void;
}
/**
 * Waits for the page in its frame, and determines why it does not load. Browsers do not report that: a blocked frame
 * loads an error page. Returns a function that stops waiting.
 */
export declare function watchLoad({ iframe, url, session, texts, onFailure, }: LoadWatchOptions): () => void;
export {};
