// Parts of browsers that TypeScript 4.8 does not declare.

/** An address that the policy `trackme` has checked. Assignable where the DOM expects a string. */
export type TrustedScriptURL = string & { readonly trackmePolicy: unique symbol };

declare global {
  interface Window {
    /** Absent in browsers without Trusted Types (Firefox, Safari before 26). */
    readonly trustedTypes?: {
      createPolicy(
        name: string, rules: { createScriptURL(address: string): string }
      ): { createScriptURL(address: string): TrustedScriptURL };
    };
  }

  interface Navigator {
    /** Absent in older browsers. */
    readonly userActivation?: { readonly hasBeenActive: boolean; readonly isActive: boolean };
  }
}
