// As much XML as S3 answers with: elements without attributes, which hold texts or further elements.

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string) => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '')

/** What stands in each element of that name. */
export const textsIn = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))].map(([, text = '']) =>
    text.includes('<') ? text : plain(text),
  )

export const escaped = (text: string): string =>
  text.replace(/[<>"'&]/g, (char) => `&${Object.keys(entities).find((name) => entities[name] === char)};`)
