import { type LinkHandle, type OpenLinkOptions } from './options.js';
/**
 * Opens the connect page over yours, or in `container`. You never receive user input, only ids, names and codes. There
 * is one dialog, and one page per container: if the same page is opened again, it gets the focus and the callbacks of
 * the first call remain; if another page is opened, the current one ends with the reason `replaced`.
 *
 * @throws TypeError when `baseURL` is not an http(s) URL, or neither `linkId` nor `token` is given
 */
export declare function openLink(options: OpenLinkOptions): LinkHandle;
/** The open page, and whether this call opened it; otherwise it belongs to an earlier call. */
export declare function openOrFocusLink(options: OpenLinkOptions): {
    readonly handle: LinkHandle;
    readonly isNew: boolean;
};
