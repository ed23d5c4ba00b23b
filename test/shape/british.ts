/** British spellings of words that Muster writes in American English. */
export const british =
  /\b(organisation|enrol(?!l)|cancell(?!ation)|colour|neighbour|behaviour|favour|honour|labour|centre|metre|licence|defence|catalogue|dialogue|grey|artefact|programmes?\b|judgement|acknowledgement|whilst|afterwards|towards|analys(?!is|t|es\b)|recognis|normalis|authoris|initialis|serialis|synchronis|minimis|maximis|optimis|summaris|customis|utilis|labell|travell|modell|fulfil\b|instalment)\w*/gi

/** Values of the API and names of files that keep their spelling. */
const kept = /`[^`\n]*`|\]\([^)]*\)|^```[\s\S]*?^```/gm

/** The British spellings in a text, without its code and its links. */
export function britishIn(text: string): string[] {
  return text.replace(kept, '').match(british) ?? []
}
