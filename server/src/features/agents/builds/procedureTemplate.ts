// The procedure of an agent that was made without one: it runs as it stands, and is meant to be edited.

export const procedureTemplate = `# What this agent does

This procedure runs as it stands: it writes the message that it was given to a file and makes that its output.
Edit it: text is for people and models, fenced blocks are steps that are carried out as written.

\`\`\`file path=message.txt
{{ message }}
\`\`\`

\`\`\`output
{{ message }}
\`\`\`
`
