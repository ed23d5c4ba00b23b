// Reads the XML of S3: elements without attributes that contain text or other elements.

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string) => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '')

/** The text of each element with this name. */
export const textsIn = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))].map(([, text = '']) =>
    text.includes('<') ? text : plain(text),
  )

export const escaped = (text: string): string =>
  text.replace(/[<>"'&]/g, (char) => `&${Object.keys(entities).find((name) => entities[name] === char)};`)
