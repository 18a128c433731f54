// Package nltk reproduces what the published scorers take from Python's NLTK 3.9.1: the
// Porter stemmer in its NLTK_EXTENSIONS mode, word_tokenize, and sent_tokenize with the
// English Punkt model. Near is wrong here: a score must be the same to the last digit.
package nltk
