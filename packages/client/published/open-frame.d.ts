import { type LinkHandle, type OpenLinkOptions } from './options.js';
/** An open page, for the code that opens pages. */
export interface OpenFrame {
    readonly handle: LinkHandle;
    /** The page did not load. */
    hasFailed(): boolean;
    focus(): void;
    replace(): void;
}
/** Opens the page once; calls `onOver` when everything is removed, before the callbacks of the host run. */
export declare function openFrame(options: OpenLinkOptions, onClosed: () => void): OpenFrame;
