/** A sentence whose quoted names are isolated: one that is written from right to left turns nothing around it. */
export function Isolated({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/(?<=“)([^”]*)(?=”)/)
        .map((part, index) => (index % 2 === 0 ? part : <bdi key={index}>{part}</bdi>))}
    </>
  );
}
