// The Shape Detection API, which TypeScript 4.8 does not declare. Only Chromium has it.

export {};

declare global {
  interface Window {
    readonly BarcodeDetector?: {
      new (options: { formats: string[] }): {
        detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
      };
      getSupportedFormats(): Promise<string[]>;
    };
  }
}
