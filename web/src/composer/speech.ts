/** Speech to text, by what the browser brings along. */

type Heard = { readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }> };

type Recognition = {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: Heard) => void) | null;
  onend: (() => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  start(): void;
  abort(): void;
};

type Maker = new () => Recognition;

function maker(): Maker | null {
  const known = globalThis as { SpeechRecognition?: Maker; webkitSpeechRecognition?: Maker };
  return known.SpeechRecognition ?? known.webkitSpeechRecognition ?? null;
}

/** Whether this browser can hear. */
export const canHear: boolean = maker() !== null;

/** Who listens to what is understood. */
export type Listener = { heard(text: string): void; ended(trouble: string | null): void };

/** Listens. Call what comes back to stop: nothing is heard after that, though browsers would still have something to say. */
export function listen(listener: Listener): () => void {
  const Recognition = maker();
  if (!Recognition) {
    listener.ended("This browser cannot hear.");
    return () => {};
  }
  const recognition = new Recognition();
  let trouble: string | null = null;
  recognition.lang = navigator.language;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.onresult = (event) => {
    listener.heard(Array.from(event.results, (result) => result[0]?.transcript ?? "").join(""));
  };
  recognition.onerror = (event) => {
    if (event.error === "not-allowed") trouble = "The browser may not use the microphone: allow it for this page.";
    else if (event.error !== "aborted" && event.error !== "no-speech") trouble = `Nothing was understood (${event.error}).`;
  };
  recognition.onend = () => listener.ended(trouble);
  recognition.start();
  return () => {
    recognition.onresult = recognition.onend = recognition.onerror = null;
    recognition.abort();
    listener.ended(null);
  };
}
