import type { HostTexts } from './host-texts.js';
import type { OpenLinkOptions } from './options.js';
/** The element that contains the frame in the embedding page. */
export interface Surface {
    /** The page in the frame has loaded. */
    show(): void;
    /** The page will not load: shows why instead. */
    fail(message: string): void;
    /** The preferred height of the page in the frame, in pixels. */
    resize(height: number): void;
    /** Removes everything and restores focus and scrolling. */
    remove(): void;
}
export interface SurfaceParts {
    readonly iframe: HTMLIFrameElement;
    readonly options: Pick<OpenLinkOptions, 'cspNonce' | 'theme' | 'title'>;
    readonly texts: HostTexts & {
        readonly lang: string;
    };
    /** The user closes it with Escape, or with the button below an error. */
    readonly onDismiss: (reason: 'closed' | 'escape') => void;
    /** The focus enters the frame from this end. */
    readonly onFocus: (at: 'end' | 'start') => void;
}
/** The text that is shown until the frame has loaded. `fail` replaces it with the reason and a button to close. */
export declare function createLoadingStatus({ texts, onDismiss }: Pick<SurfaceParts, 'onDismiss' | 'texts'>, container: HTMLElement): {
    readonly element: HTMLElement;
    show(): void;
    fail(message: string): void;
};
/** The colour scheme until the page brings its own. */
export declare function getThemeClass({ theme }: Pick<OpenLinkOptions, 'theme'>): string;
/** Creates an element. */
export declare function createElement<Name extends keyof HTMLElementTagNameMap>(name: Name, className?: string): HTMLElementTagNameMap[Name];
/** The page inside an element of the host, at its preferred height. */
export declare function openInline(container: HTMLElement, parts: SurfaceParts): Surface;
/**
 * Adds our styles to the document or shadow root of an element: as a constructed style sheet, which a content security
 * policy allows, otherwise as an element with the host's nonce. Adds them again if they were removed: some pages
 * replace their list of style sheets.
 */
export declare function ensureStyle(element: Element, nonce: string | undefined): void;
