/** Whether a person's prompt asks for autopilot (harness.md, Human gates): better not heard once than taken for a yes. */

/** What the person shows rather than says: code, quotations, lines quoted from elsewhere. */
const SHOWN = /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|^\s*>.*$/gm;
/** As an option; alone in its clause; or as the way in which something is done. Part of a longer name it is none of these. */
const ASKS =
  /(?<!\S)--auto-?pilot(?![\w./-])|^(?:please\s+)?auto-?pilot(?:\s+(?:mode|on|please))?$|(?<![\w./-])(?:in|on|im|en|with|use|using|via)\s+(?:full\s+)?auto-?pilot(?:\s+mode)?(?![\w/-]|\.\w)/i;
const REFUSES =
  /\b(?:no|not|never|without|stop|avoid|instead|rather|than|unless|until|cannot|nicht|kein\w*|ohne|nie|pas|sans|jamais|sin|nunca|non|senza)\b|n['’]t\b/i;

/** @param prompt as it was typed */
export function asksForAutopilot(prompt: string): boolean {
  const sentences = prompt.replace(SHOWN, ' ').match(/[^.!?;\n]+(?:[.!?;\n]+(?=\S)[^\s.!?;]*)*[.!?;\n]*/g) ?? [];
  const about = sentences.filter((sentence) => /auto-?pilot/i.test(sentence));
  if (about.some((sentence) => REFUSES.test(sentence) || sentence.includes('?'))) return false;
  return about.some((sentence) => sentence.split(/[,:.!;\n](?:\s|$)/).some((clause) => ASKS.test(clause.trim())));
}
