/** Texts that are shown while the page is not loaded. */
export interface HostTexts {
    readonly title: string;
    readonly loading: string;
    readonly failed: string;
    /** The page cannot be shown here: retrying does not help. */
    readonly notAllowed: string;
    readonly close: string;
}
/** The texts in the requested language, otherwise in the browser's, otherwise in English. */
export declare function getHostTexts(lang: string | undefined): HostTexts & {
    readonly lang: string;
};
