"""The words of names and of questions in English: how they are split, their stems, what they mean, which are alike."""
